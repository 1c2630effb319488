# What every test finds: Redmine's default trackers, statuses, priorities and roles, one project, and two users that may
# use REST, each with a key that is no secret.
require '/usr/share/redmine/config/environment'
Redmine::DefaultData::Loader.load('en')
Setting.rest_api_enabled = '1'
Setting.notified_events = []

def give_key(user, value)
  Token.create!(user: user, action: 'api').update_column(:value, value)
end

admin = User.find_by!(login: 'admin')
admin.update!(must_change_passwd: false)
give_key(admin, 'a' * 40)

project = Project.create!(name: 'Flyball', identifier: 'flyball', trackers: Tracker.all,
                          enabled_module_names: ['issue_tracking'])
bot = User.new(firstname: 'Fly', lastname: 'Bot', mail: 'bot@flyball.invalid', language: 'en')
bot.login = 'bot'
bot.password = 'nobody-logs-in'
bot.save!
Member.create!(project: project, principal: bot, roles: [Role.find_by!(name: 'Manager')])
give_key(bot, 'b' * 40)
