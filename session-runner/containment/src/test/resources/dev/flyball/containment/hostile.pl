# The adversarial tree: one of each kind of child that is known to escape. Everything ends by itself after a minute.
# Arguments: the kinds to start; none means all. Says "ready" on stdout when all are there; dies on TERM as agents do.
use strict;
use POSIX ();
$| = 1;
my $LIFE = 60;

sub rest { alarm $LIFE; sleep 1 while 1 }
sub spawn { my ($body) = @_; my $pid = fork; die "fork: $!" unless defined $pid; return $pid if $pid; alarm $LIFE; $body->(); exit 0 }
sub closed { POSIX::close($_) for 0 .. 63; chdir '/' }
# Becomes another process image with nothing of ours in its environment or its name; the program file stays.
sub renamed { my ($name) = @_; %ENV = (); exec { $^X } $name, '-e', "alarm $LIFE; sleep 1 while 1" }

my %kind = (
  plain   => sub { spawn(sub { rest() }) },
  igterm  => sub { spawn(sub { $SIG{TERM} = $SIG{INT} = $SIG{HUP} = 'IGNORE'; rest() }) },
  setsid  => sub { spawn(sub { POSIX::setsid(); rest() }) },
  pgrp    => sub { spawn(sub { setpgrp(0, 0); rest() }) },
  daemon  => sub { waitpid spawn(sub { POSIX::setsid(); spawn(sub { closed(); rest() }) }), 0 },
  holdout => sub { waitpid spawn(sub { spawn(sub { rest() }) }), 0 },
  noenv   => sub { spawn(sub { renamed('-bash') }) },
  noenvd  => sub { waitpid spawn(sub { POSIX::setsid(); spawn(sub { closed(); renamed('sshd: nobody') }) }), 0 },
  stopped => sub { spawn(sub { kill STOP => $$; rest() }) },
  # A parent in vfork cannot be interrupted (state D) until its child execs, which this one never does.
  vfork   => sub { spawn(sub { my $p = syscall(58); if ($p == 0) { sleep 1 while 1 } rest() }) },
  zombie  => sub { spawn(sub { for (1 .. 5) { my $p = fork; POSIX::_exit(0) if defined $p && !$p } rest() }) },
  # Moves to a new pid and a new session every 8 ms.
  comet   => sub { spawn(sub { my $end = time + $LIFE; while (time < $end) { select undef, undef, undef, 0.008; my $p = fork; exit 0 if $p; POSIX::setsid() } }) },
  # Keeps 20 children, never more, and replaces what is killed.
  bomb    => sub {
    spawn(sub {
      POSIX::setsid();
      my $alive = 0;
      while (1) {
        while ($alive < 20) { spawn(sub { rest() }); $alive++ }
        $alive-- if waitpid(-1, 0) > 0;
      }
    });
  },
);

my @order = qw(plain igterm setsid pgrp daemon holdout noenv noenvd stopped vfork zombie comet bomb);
my @chosen = @ARGV ? @ARGV : @order;
$kind{$_} ? $kind{$_}->() : die "no kind $_\n" for @chosen;
print "ready\n";
rest();
