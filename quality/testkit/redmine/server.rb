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

# What REST has no request for, done by Redmine's own models: POST /-/issues?count=N&subject=S&age=SECONDS makes many
# issues at once, as if last changed so long ago; DELETE /-/issues deletes all there are.
class Bulk
  def initialize(app)
    @app = app
  end

  def call(env)
    return @app.call(env) unless env['PATH_INFO'] == '/-/issues'

    asked = Rack::Request.new(env)
    ids = asked.delete? ? delete : make(asked.params['count'].to_i, asked.params['subject'], asked.params['age'].to_i)
    [200, { 'Content-Type' => 'application/json' }, [ids.to_json]]
  ensure
    ActiveRecord::Base.clear_active_connections!
  end

  private

  def delete
    Issue.delete_all
    Journal.delete_all
    []
  end

  # The first as people make one, the others as copies of its row.
  def make(count, subject, age)
    project = Project.find('flyball')
    first = Issue.create!(project: project, author: User.find_by!(login: 'admin'), tracker: project.trackers.first,
                          subject: "#{subject} 1", description: 'Number 1 of many.')
    row = first.attributes.except('id')
    rows = (2..count).map { |n| row.merge('subject' => "#{subject} #{n}", 'description' => "Number #{n} of many.") }
    Issue.insert_all!(rows) unless rows.empty?
    made = Issue.where('id >= ?', first.id)
    made.update_all('root_id = id')
    made.update_all(updated_on: Time.now - age) if age.positive?
    made.order(:id).pluck(:id)
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
