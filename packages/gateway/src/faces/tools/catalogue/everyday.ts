import { stem } from "./words.ts"

/** What interfaces say, and what people say who mean it. Only the second stands for the first. */
const lines = `
create: begin build raise spin provision establish launch generate craft compose produce prepare initialize init found
create: file report log
add: append include put join attach enroll onboard introduce bring
add: give grant assign
invite: ask recruit onboard
update: adjust alter correct fix amend revise tweak refresh switch toggle
update: close reopen archive hide unhide convert make turn
rename: call
delete: wipe purge discard trash uninstall eliminate scrap erase clear
remove: kick fire expel evict unlink detach exclude dismiss leave strip withdraw
list: overview inventory everything catalog enumerate
get: inspect examine open load display print pull
check: verify test confirm validate whether
search: grep hunt locate discover find explore scan
download: grab save export pull fetch
upload: send submit attach import push
send: deliver submit dispatch transmit
resend: retry redeliver again repeat
redeliver: resend retry again
rerun: retry again repeat restart
run: again restart execute launch kick
cancel: abort stop kill halt interrupt quit
stop: shut halt pause off down
start: boot wake resume begin
enable: activate allow permit on
disable: deactivate forbid off prevent
lock: freeze stop prevent
unlock: unfreeze reopen
block: ban stop blacklist mute
restriction: only limit forbid prevent
approve: allow let accept ok lgtm
dismiss: discard reject outdated stale ignore
merge: squash combine integrate land join rebase
sync: synchronize mirror refresh
upstream: sync original fork
transfer: hand move reassign ownership
publish: ship release share post
release: ship publish launch version
tag: version mark
version: release edition number
deploy: ship rollout release production staging live
deployment: deploy ship rollout production staging
environment: staging production stage
commit: change revision save history log
contents: file directory folder
tree: structure hierarchy folder directory
file: document source script
compare: diff difference change between versus vs against
history: past log timeline happened before
event: happened activity timeline occurrence
timeline: history happened events
changelog: history change
readme: introduction documentation docs
license: legal copyright terms
language: programming written
contributor: developer wrote author people
collaborator: access friend colleague developer teammate partner
collaborator: contributor
permission: right access allowed role can may privilege
access: permission right login
owner: belong ownership
member: people employee person staff colleague in
membership: join belong member
organization: company employer business enterprise firm our
team: group squad department crew
user: developer person someone anyone customer human
people: users members
username: handle nickname
profile: bio about page person
authenticated: me myself mine my own
follower: follow fan audience
assignee: assign assigned responsible owner
assign: give responsible
milestone: deadline goal sprint due
label: tag color category mark
issue: bug ticket problem defect report incident crash
sub: child children part split break nested
parent: above mother belong
dependency: library package module blocked depend
blocked: waiting depends stuck
comment: reply answer respond remark note discussion say talk
reply: answer respond
reaction: react thumbs emoji heart like upvote
review: approve feedback look check
reviewer: review approve
notification: alert inbox unread message notify
subscription: watch subscribe notify follow
watch: subscribe follow notify
watcher: watch subscribe
star: like favorite bookmark love
stargazer: starred liked
webhook: hook callback notify server event
delivery: delivered sent arrived attempt
hook: webhook
secret: password token credential key
variable: setting value parameter env
key: ssh credential
token: credential password key
gist: snippet paste code
runner: machine agent worker server
workflow: pipeline ci build automation action job
run: build pipeline execution ci
log: output print console error why
job: step stage
artifact: output build result binary zip
cache: saved stored
check: test status green red
status: state pending passing green red success failed
alert: warning problem vulnerability security finding
vulnerability: insecure security weakness hole cve vulnerable
vulnerable: insecure security
dependabot: dependency vulnerable outdated
scanning: found leaked scan detect analysis
secret: leaked
advisory: cve vulnerability warning
analysis: analyzer static result
sarif: static analyzer
sbom: bill material software component
codespace: environment dev cloud machine workspace ide
package: image docker npm container library
container: docker image
seat: license user assigned
copilot: assistant
billing: cost pay money invoice charge bill expense
usage: consumption cost used bill spend
budget: limit spending
rate: limit throttle
limit: throttle remaining quota cap
statistic: number count how
view: visitor traffic people seen visit
clone: download checkout
referrer: come source visitor
traffic: visitor view popularity
pages: website site
site: website page
markdown: md format html
render: convert html format preview
convert: turn transform
emoji: smiley icon
meta: ip address
template: boilerplate starter example
fork: copy duplicate own
branch: main master trunk
default: main master
protection: protect protected guard secure require
ruleset: rule policy
archive: zip tarball backup source
zipball: zip archive source
tarball: tar archive source
import: migrate bring move
migration: export backup move
project: board kanban roadmap
item: card
board: kanban
field: column property
topic: theme subject keyword
email: mail address
address: email location
social: twitter facebook
block: stop
pending: waiting accepted unanswered yet
invitation: invite invited
line: row
diff: change patch
file: changed
requested: asked
dispatch: fire trigger manual start
event: fire
conversation: discussion talk
balance: wallet cash fund afford broke empty deposit
price: rate fee expensive cheap worth cost
quote: cite mention share
story: disappear ephemeral temporary
video: movie reel trailer commercial film
image: sketch avatar icon cover
embedding: vectorize similarity semantic meaning cluster alike
rerank: rescore relevance
research: internet thorough investigate study sources
source: internet
financial: invest investor pe eps dividend overvalued undervalued
visit: popular popularity stay people
token: length long size
count: size length number many
contract: swagger interface endpoint parameter changed
sales: earn earned earnings income sell order unit business
suggestion: type complete completion shopper
answer: response result output
task: render generation
schedule: cron timer plan
calendar: agenda date
payment: transaction purchase bought charge card
invoice: receipt bill
order: purchase bought basket cart
customer: client buyer shopper patron
product: item article goods sku
inventory: stock warehouse
shipment: parcel package tracking
refund: money back return
coupon: discount voucher promo
subscription: plan membership recurring
contact: person lead address
message: text note dm chat
channel: room group
attachment: file
folder: directory
document: file page note paper
note: memo remark
password: passcode login
session: login
device: phone machine computer
location: where place position
weather: rain sunny temperature forecast cold hot
member: contractor freelancer intern newcomer newbie hire
outside: external guest contractor freelancer
external: outside
revoke: invalidate void expire withdraw
cancel: withdraw retract recall undo
remove: undo
credential: token key password login
action: ci pipeline automation
runner: build
view: look looked seen saw visitor
asset: binary attachment installer executable
attach: add
topic: keyword tag
note: changelog
generate: automatic automatically auto
activity: busy active lately recently happened
participation: busy active
frequency: often
contributor: active
visibility: private public hide hidden secret
public: visible
gpg: signature signing sign
installation: installed install
classroom: student school teacher course
assignment: homework exercise
grade: mark score
property: attribute metadata
attribute: property
block: troll spam spammer harass
pin: highlight stick
interaction: heated cool temporarily stranger
self: own
hosted: own
machine: hardware power size computer
seat: licence
storage: space disk
retention: keep long days
status: passed failed outcome result
check: result passing
blob: raw
ref: branch pointer
reference: branch pointer
template: skeleton starter
path: page popular
ping: test try works working alive
location: found
bypass: skip override
scanning: codeql analyzer
dependabot: library
dependency: outdated
following: follow whom
feed: rss atom
gitignore: ignored
autolink: shorthand
community: health guideline conduct
import: migrate
plan: tier
emoji: smiley
tree: recursive everything
combined: all whole overall
pending: wait waits waiting
parent: epic bigger larger
sub: subtask smaller part piece
permission: do rights
event: happened
timeline: happened
`

const byWord = new Map<string, Set<string>>()
for (const line of lines.trim().split("\n")) {
  const [meant = "", said = ""] = line.split(": ")
  for (const word of said.split(" ").map(stem)) {
    const meanings = byWord.get(word) ?? new Set()
    byWord.set(word, meanings)
    if (stem(meant) !== word) meanings.add(stem(meant))
  }
}

const none: ReadonlySet<string> = new Set()

/** The stems of interfaces that an everyday word may mean. */
export const meaningsOf = (word: string): ReadonlySet<string> => byWord.get(word) ?? none
