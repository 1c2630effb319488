/*
 * The lease protocol of the session ledger, small enough to try every order of events: two runners that each claim once,
 * cap 1, two requests for two items, one of which triage settles. A send may be appended at any later moment, a newer
 * renewal or expiry may overtake and replace one that is still on its way (that one is lost), every runner may stand
 * still for as long as it likes (a freeze, or a cut network), the second may restart once, the first's tree may be
 * unkillable for a while. Readers fold the same log, each at its own pace. Time has no end: all instants are ages.
 *
 * Checked where a tree starts: no other lives (the cap, and one session per item), and its request never had one (one session per request).
 * -DWRONG=n takes one rule away; each must be refuted, or the model is blind. Their names are the simulation's.
 */
#define NOTHING 0
#define EXPIRES_WITHOUT_SEEN 1
#define FENCE_COUNTS_FROM_RECEIPT 2
#define SPENT_REQUESTS_ARE_CLAIMED 3
#define NO_FLOOR 4
#define RELEASES_BEFORE_THE_TREE_IS_DEAD 5
#define RENEWAL_STOPS_AT_THE_KILL 6
#define RESTARTED_WITNESS_DOES_NOT_WAIT 7
#define COPIED_FOLDER_RELEASES 8
#define NO_DEADMAN 9
#ifndef WRONG
#define WRONG NOTHING
#endif

/* In ticks. With a margin of 2 the runner fences at lease - margin, the deadman kills at lease - margin / 2. */
#define LEASE 5
#define FENCE 3
#define DEADMAN 4
#define LATE 0

#ifndef UNREAD
#define UNREAD 1 /* entries that a reader may be behind */
#endif
#ifndef RENEWALS
#define RENEWALS 1
#endif

/* What may happen besides; one at a time, as together they are too many orders to try. */
#ifndef MAY_RESTART
#define MAY_RESTART 0 /* the second runner, once, from a checkpoint at the end of the log */
#endif
#ifndef MAY_STICK
#define MAY_STICK 0 /* the first runner's tree cannot be killed for a while */
#endif
#ifndef MAY_SETTLE
#define MAY_SETTLE 0 /* triage replaces the request of an ended session */
#endif

#define NONE 2
#define ALL 2 /* the fold of everything appended: what triage and a restarted runner's checkpoint know */

/* A runner's own session. */
#define IDLE 0
#define CLAIMING 1
#define RUNNING 2
#define KILLING 3
#define DEAD 4 /* verified; released until the fold shows it */
#define OVER 5

/* Kinds of entries. Value: readTo of a claim, age of a renewal's send, seen of an expiry. */
#define CLAIM 0
#define RENEW 1
#define RELEASE 2
#define EXPIRE 3
#define SETTLED 4
#define FLOOR 2 /* next offset of session-requests after the tombstone of request 0 */

/* A session is named after the runner that claimed it. Seen counts the records of the open lease. */
typedef View { byte open = NONE; byte request; byte seen; bool spent[2]; byte floor }
typedef Entry { byte kind; byte session; byte request; byte value }
typedef Inbox { byte count; Entry entry[UNREAD] }
typedef Way { bool sent[4]; byte session[4]; byte value[4] }

typedef Runner {
  byte state;
  byte request;
  byte age;       /* of the claim's send */
  byte fence;     /* ticks left */
  bool due;       /* time has passed since its last renewal */
  byte renewals;
  byte known = 1; /* next offset that it will read in session-requests */
  bool watching;  /* a lease that it witnesses against */
  byte received   /* ticks since it received that lease's last record */
}

View view[3];
Inbox inbox[2];
Way way[2];
Runner runner[2];
bool alive[2];
byte deadman[2]; /* ticks left */
bool stuck;      /* runner 0's tree cannot be killed for now, by nobody */
bool ran[2];
byte requests = 1;
bool settled;
bool restarted;
byte claimOf[2]; /* which request a claim on its way is for: its runner may restart meanwhile */

/* The step's own; no part of the state. */
hidden byte kind, who, what, value, i;
hidden byte changed;

inline fold(v, k, s, q, x) {
  changed = false;
  if
  :: (k == CLAIM && view[v].open == NONE && (!view[v].spent[q] || WRONG == SPENT_REQUESTS_ARE_CLAIMED) &&
      (q == 1 || x >= view[v].floor || WRONG == NO_FLOOR)) ->
     view[v].open = s; view[v].request = q; view[v].seen = 0; changed = true
  :: k == RENEW && view[v].open == s -> view[v].seen++; changed = true
  :: (view[v].open == s && (k == RELEASE ||
      (k == EXPIRE && (view[v].seen == x || WRONG == EXPIRES_WITHOUT_SEEN)))) ->
     view[v].spent[view[v].request] = true; view[v].open = NONE; view[v].request = 0; view[v].seen = 0; changed = true
  :: k == SETTLED && view[v].spent[0] -> view[v].spent[0] = false; view[v].floor = FLOOR
  :: else
  fi
}

inline deliver(to, k, s, q, x) {
  inbox[to].entry[inbox[to].count].kind = k; inbox[to].entry[inbox[to].count].session = s;
  inbox[to].entry[inbox[to].count].request = q; inbox[to].entry[inbox[to].count].value = x;
  inbox[to].count++
}

inline append(k, s, q, x) {
  deliver(0, k, s, q, x);
  deliver(1, k, s, q, x);
  fold(ALL, k, s, q, x)
}

inline send(r, k, s, x) {
  way[r].sent[k] = true; way[r].session[k] = s; way[r].value[k] = x
}

/* Takes the oldest unread entry. */
inline take(r) {
  kind = inbox[r].entry[0].kind; who = inbox[r].entry[0].session;
  what = inbox[r].entry[0].request; value = inbox[r].entry[0].value;
  i = 0;
  do
  :: i + 1 < inbox[r].count ->
     inbox[r].entry[i].kind = inbox[r].entry[i + 1].kind; inbox[r].entry[i].session = inbox[r].entry[i + 1].session;
     inbox[r].entry[i].request = inbox[r].entry[i + 1].request; inbox[r].entry[i].value = inbox[r].entry[i + 1].value;
     i++
  :: else -> break
  od;
  inbox[r].entry[i].kind = 0; inbox[r].entry[i].session = 0; inbox[r].entry[i].request = 0; inbox[r].entry[i].value = 0;
  inbox[r].count--;
  i = 0
}

inline start(r) {
  assert(!alive[1 - r]);             /* the cap, one per item */
  assert(!ran[runner[r].request]);   /* one session per request */
  ran[runner[r].request] = true;
  alive[r] = true;
  runner[r].state = RUNNING;
  if :: WRONG == FENCE_COUNTS_FROM_RECEIPT -> runner[r].age = 0 :: else fi;
  runner[r].fence = FENCE - runner[r].age;
  deadman[r] = DEADMAN - runner[r].age;
  runner[r].age = 0
}

/* A renewal of its own took effect: later deadlines count from the moment before its send. */
inline extend(r, sendAge) {
  if :: FENCE > sendAge && FENCE - sendAge > runner[r].fence -> runner[r].fence = FENCE - sendAge :: else fi;
  if :: alive[r] && DEADMAN > sendAge && DEADMAN - sendAge > deadman[r] -> deadman[r] = DEADMAN - sendAge :: else fi
}

/* What an entry that took effect means to the runner that reads it. */
inline heard(r) {
  if
  :: kind == CLAIM && who == r && runner[r].state == CLAIMING ->
     if
     :: runner[r].age <= LATE && (what == 1 || runner[r].known == 1) -> start(r)
     :: else -> runner[r].state = DEAD; runner[r].age = 0 /* released unstarted */
     fi
  :: kind == RENEW && who == r && runner[r].state == RUNNING ->
     if :: WRONG == FENCE_COUNTS_FROM_RECEIPT -> value = 0 :: else fi;
     extend(r, value)
  :: (kind == RELEASE || kind == EXPIRE) && who == r && runner[r].state == DEAD -> runner[r].state = OVER; runner[r].request = 0
  :: (kind == RELEASE || kind == EXPIRE) && who == r && runner[r].state == RUNNING ->
     runner[r].state = KILLING; runner[r].fence = 0
  :: (kind == CLAIM || kind == RENEW) && (who != r || restarted) -> runner[r].watching = true; runner[r].received = 0
  :: (kind == RELEASE || kind == EXPIRE) && (who != r || restarted) -> runner[r].watching = false; runner[r].received = 0
  :: else
  fi
}

inline act(r) {
  if
  :: inbox[r].count > 0 ->
     /* The fence comes before anything that could move it, and is final. */
     if :: runner[r].state == RUNNING && runner[r].fence == 0 -> runner[r].state = KILLING :: else fi;
     take(r);
     fold(r, kind, who, what, value);
     if :: changed -> heard(r) :: else fi
  :: runner[r].known < requests -> runner[r].known++
  :: runner[r].state == IDLE -> /* at any time: a claim that comes too early has no effect */
     if
     :: runner[r].known == 1 && (!view[r].spent[0] || WRONG == SPENT_REQUESTS_ARE_CLAIMED) -> runner[r].request = 0
     :: !view[r].spent[1] || WRONG == SPENT_REQUESTS_ARE_CLAIMED -> runner[r].request = 1
     fi;
     runner[r].state = CLAIMING; claimOf[r] = runner[r].request;
     send(r, CLAIM, r, runner[r].known)
  :: ((runner[r].state == RUNNING || (runner[r].state == KILLING && WRONG != RENEWAL_STOPS_AT_THE_KILL)) &&
      runner[r].renewals < RENEWALS) ->
     runner[r].due = false; runner[r].renewals++;
     send(r, RENEW, r, 0)
  :: runner[r].state == RUNNING && runner[r].fence == 0 -> runner[r].state = KILLING
  :: runner[r].state == RUNNING && runner[r].request == 0 && runner[r].known == 2 ->
     runner[r].state = KILLING; runner[r].fence = 0 /* the request is gone */
  :: runner[r].state == RUNNING -> /* the agent is done */
     alive[r] = false; deadman[r] = 0; runner[r].fence = 0; runner[r].due = false; runner[r].state = DEAD
  :: MAY_STICK && r == 0 && runner[r].state == KILLING && alive[r] && !stuck && view[r].open == r -> stuck = true
  :: runner[r].state == KILLING -> /* verified dead, an unkillable one at last */
     if :: r == 0 -> stuck = false :: else fi;
     alive[r] = false; deadman[r] = 0; runner[r].due = false;
     if :: view[r].open == r -> runner[r].state = DEAD :: else -> runner[r].state = OVER; runner[r].request = 0 fi
  :: ((runner[r].state == DEAD || (runner[r].state == KILLING && WRONG == RELEASES_BEFORE_THE_TREE_IS_DEAD)) &&
      !way[r].sent[RELEASE] && view[r].open == r) ->
     send(r, RELEASE, r, 0)
  :: runner[r].watching && view[r].open != NONE && runner[r].received == LEASE ->
     send(r, EXPIRE, view[r].open, view[r].seen)
  :: MAY_RESTART && r == 1 && !restarted -> /* kill -9: the kernel ends the tree with its runner; what is on its way stays there */
     restarted = true;
     alive[r] = false; deadman[r] = 0;
     if :: runner[r].state == IDLE :: else -> runner[r].state = OVER fi;
     runner[r].request = 0; runner[r].age = 0; runner[r].fence = 0; runner[r].due = false; runner[r].known = 1;
     do :: inbox[r].count > 0 -> take(r) :: else -> break od;
     view[r].open = view[ALL].open; view[r].request = view[ALL].request; view[r].seen = view[ALL].seen;
     view[r].spent[0] = view[ALL].spent[0]; view[r].spent[1] = view[ALL].spent[1]; view[r].floor = view[ALL].floor;
     runner[r].watching = (view[ALL].open != NONE);
     runner[r].received = ((WRONG == RESTARTED_WITNESS_DOES_NOT_WAIT && runner[r].watching) -> LEASE : 0)
  :: WRONG == COPIED_FOLDER_RELEASES && view[r].open == 1 - r && !way[r].sent[RELEASE] -> send(r, RELEASE, view[r].open, 0)
  fi
}

#define room (inbox[0].count < UNREAD && inbox[1].count < UNREAD)

inline network(r, k) {
  way[r].sent[k] && room;
  who = way[r].session[k]; value = way[r].value[k];
  if :: k == CLAIM -> what = claimOf[r]; claimOf[r] = 0 :: else -> what = 0 fi;
  way[r].sent[k] = false; way[r].session[k] = 0; way[r].value[k] = 0;
  append(k, who, what, value)
}

inline triage() {
  if
  :: MAY_SETTLE && view[ALL].spent[0] && requests == 1 -> requests = 2
  :: view[ALL].spent[0] && requests == 2 && !settled && room -> settled = true; append(SETTLED, NONE, 0, 0)
  fi
}

inline older(x, most) { if :: x < most -> x++ :: else fi }
inline nearer(x) { if :: x > 0 -> x-- :: else fi }

inline aged(r) {
  if :: runner[r].state == CLAIMING -> older(runner[r].age, LATE + 1) :: else fi;
  nearer(runner[r].fence);
  if :: alive[r] -> runner[r].due = true :: else fi;
  if :: runner[r].watching -> older(runner[r].received, LEASE) :: else fi;
  if :: way[r].sent[RENEW] -> older(way[r].value[RENEW], DEADMAN) :: else fi;
  i = 0;
  do
  :: i < inbox[r].count -> if :: inbox[r].entry[i].kind == RENEW -> older(inbox[r].entry[i].value, DEADMAN) :: else fi; i++
  :: else -> break
  od;
  i = 0;
  nearer(deadman[r]);
  if :: alive[r] && deadman[r] == 0 && !(r == 0 && stuck) && WRONG != NO_DEADMAN -> alive[r] = false :: else fi
}

inline tick() {
  /* The residual risk that the documents name is an unkillable tree on a runner that is cut off as well: not here. */
  !(stuck && (way[0].sent[RENEW] || (runner[0].due && WRONG != RENEWAL_STOPS_AT_THE_KILL)));
  aged(0);
  aged(1)
}


init {
  do
  :: atomic { act(0) }
  :: atomic { act(1) }
  :: atomic { network(0, CLAIM) } :: atomic { network(0, RENEW) } :: atomic { network(0, RELEASE) } :: atomic { network(0, EXPIRE) }
  :: atomic { network(1, CLAIM) } :: atomic { network(1, RENEW) } :: atomic { network(1, RELEASE) } :: atomic { network(1, EXPIRE) }
  :: atomic { triage() }
  :: atomic { tick() }
  od
}
