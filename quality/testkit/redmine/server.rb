# Serves Redmine over the folder FLYBALL_REDMINE on 127.0.0.1, on port ARGV[0] or on any free one, until standard input
# ends: so it never outlives the test that started it, however that one dies. The file `ready` then holds the port.
require '/usr/share/redmine/config/environment'
require 'webrick'
require 'rack/handler/webrick'

# Notes in requests.log when a request came and when its answer was ready, by the machine's monotonic clock.
class Noted
  def initialize(app, file)
    @app = app
    @file = file
    @lock = Mutex.new
    @count = 0
  end

  def call(env)
    number = @lock.synchronize { @count += 1 }
    note('begin', number, env['REQUEST_METHOD'], env['REQUEST_URI'].sub(%r{\Ahttp://[^/]*}, ''), env['HTTP_USER_AGENT'])
    status, headers, body = @app.call(env)
    [status, headers, Rack::BodyProxy.new(body) { note('end', number, status) }]
  end

  private

  def note(what, number, *more)
    @lock.synchronize do
      now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      @file.puts(([what, number, now] + more.map { |text| text.to_s.gsub(/[[:cntrl:]]/, ' ') }).join("\t"))
    end
  end
end

# POST /-/issues?count=N&subject=S: many issues at once, which REST has no request for. Redmine's own models write them.
class Bulk
  def initialize(app)
    @app = app
  end

  def call(env)
    return @app.call(env) unless env['PATH_INFO'] == '/-/issues'

    asked = Rack::Request.new(env).params
    project = Project.find('flyball')
    author = User.find_by!(login: 'admin')
    ids = Array.new(asked['count'].to_i) do |n|
      Issue.create!(project: project, author: author, tracker: project.trackers.first,
                    subject: "#{asked['subject']} #{n + 1}", description: "Number #{n + 1} of many.").id
    end
    [201, { 'Content-Type' => 'application/json' }, [ids.to_json]]
  ensure
    ActiveRecord::Base.clear_active_connections!
  end
end

folder = ENV.fetch('FLYBALL_REDMINE')
requests = File.open(File.join(folder, 'requests.log'), 'a')
requests.sync = true
Thread.new do
  STDIN.read
  exit!(0)
end
app = Bulk.new(Noted.new(Rails.application, requests))
quiet = WEBrick::Log.new(STDERR, WEBrick::Log::WARN)
Rack::Handler::WEBrick.run(app, Host: '127.0.0.1', Port: ARGV[0].to_i, Logger: quiet, AccessLog: []) do |server|
  part = File.join(folder, 'ready.part')
  File.write(part, server.config[:Port])
  File.rename(part, File.join(folder, 'ready'))
end
