/** What interfaces call things, and what people call them. */
export const spokenThings = `
restriction: only limit forbid prevent
upstream: sync original fork parent
release: ship publish launch version download
tag: version mark
version: release edition number
deployment: deploy ship rollout production staging live running
environment: staging production stage target
commit: change revision save history log note checkin
contents: file directory folder upload
tree: structure hierarchy folder directory recursive everything
file: document source script changed
history: past log timeline happened before changes earlier
event: happened activity timeline occurrence fire
timeline: history happened events
changelog: history change
readme: introduction documentation docs
license: legal copyright terms
language: programming written
contributor: developer wrote author people active coder
collaborator: access friend colleague developer teammate partner contributor helper
permission: right access allowed role can may privilege do rights able
access: permission right login
owner: belong ownership boss
member: people employee person staff colleague in contractor freelancer intern newcomer newbie hire
membership: join belong member promote demote role owner admin invite
organization: company employer business enterprise firm our
team: group squad department crew subteam
user: developer person someone anyone customer human
people: users members
username: handle nickname
current: authenticated
profile: bio about page person picture avatar
authenticated: me myself mine my own
follower: follow fan audience
assignee: assign assigned responsible owner
milestone: deadline goal sprint due target
label: tag color category mark
issue: bug ticket problem defect report incident crash
sub: child children part split break nested subtask smaller piece
parent: above mother belong epic bigger larger part
dependency: library package module blocked depend outdated brings
blocked: waiting depends stuck banned
comment: reply answer respond remark note discussion say talk
reply: answer respond
reaction: react thumbs emoji heart like upvote smile laugh confused rocket
review: approve feedback look check
reviewer: review approve approver
notification: alert inbox unread message notify
subscription: watch subscribe notify follow plan membership recurring
watcher: watch subscribe
stargazer: starred liked
webhook: hook callback notify server event push notification listener
delivery: delivered sent arrived attempt
hook: webhook url endpoint
secret: password token credential key leaked sensitive
variable: setting value parameter env constant config
key: ssh credential
token: credential password key length long size pat
gist: snippet paste code note text
runner: machine agent worker server build
workflow: pipeline ci build automation action job
log: output print console error why trace
job: step stage
artifact: output build result binary zip
cache: saved stored
status: state pending passing green red success failed passed outcome result
alert: warning problem vulnerability security finding
vulnerability: insecure security weakness hole cve vulnerable
vulnerable: insecure security
dependabot: dependency vulnerable outdated library
scanning: found leaked scan detect analysis codeql analyzer
advisory: cve vulnerability warning hole known
analysis: analyzer static result
sarif: static analyzer
sbom: bill material software component
codespace: environment dev cloud machine workspace ide
package: image docker npm container library
container: docker image
seat: license user assigned licence subscription
copilot: assistant
billing: cost pay money invoice charge bill expense
usage: consumption cost used bill spend minutes
budget: limit spending cap maximum
rate: limit throttle
limit: throttle remaining quota cap
statistic: number count how busiest chart hour
view: visitor traffic people seen visit look looked saw layout tab
clone: download checkout
referrer: come source visitor
traffic: visitor view popularity
pages: website site domain blog homepage
site: website page
markdown: md format html
emoji: smiley icon
meta: ip address
template: boilerplate starter example skeleton
branch: main master trunk
default: main master
protection: protect protected guard secure require rule
ruleset: rule policy requirement
archive: zip tarball backup source export download old
zipball: zip archive source
tarball: tar archive source
migration: export backup move
project: board kanban roadmap
item: card
board: kanban
field: column property
topic: theme subject keyword tag label
email: mail address
address: email location
social: twitter facebook linkedin instagram
pending: waiting accepted unanswered yet wait waits unfinished incomplete
invitation: invite invited joining
line: row
diff: change patch changed
requested: asked still
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
contact: person lead address
message: text note dm chat
channel: room group
attachment: file
folder: directory
document: file page note paper
note: memo remark changelog
password: passcode login
session: login
device: phone machine computer
location: where place position found line
weather: rain sunny temperature forecast cold hot
outside: external guest contractor freelancer
external: outside
credential: token key password login
action: ci pipeline automation
asset: binary attachment installer executable download file
activity: busy active lately recently happened
participation: busy active
frequency: often added removed weekly
visibility: private public hide hidden secret who see
public: visible
gpg: signature signing sign
installation: installed install app customer
classroom: student school teacher course class
assignment: homework exercise
grade: mark score
property: attribute metadata custom
attribute: property
interaction: heated cool temporarily stranger
self: own
hosted: own company our
machine: hardware power size computer powerful memory cpu
storage: space disk size
retention: keep long days kept
blob: raw bytes content object data
ref: branch pointer
reference: branch pointer
path: page popular
following: follow whom
feed: rss atom news timeline
gitignore: ignored template
autolink: shorthand link
community: health guideline conduct
plan: tier
combined: all whole overall
app: application bot integration
authorization: login session logout
annotation: remark linter hint
role: admin owner promote rank holder
failed: expired unsuccessful broken rejected
repository: project codebase
health: up alive running down reachable
stats: busiest chart hour
punch: hour busiest
metric: use used
attestation: provenance proof signed
config: url address
instance: where occurrence place
configuration: policy
accepted: handed submitted
autofix: repair fix ai
codeowners: owner
conduct: behavior
space: workspace
merged: landed
signature: signed
snapshot: state
child: nested inside below
admin: administrator boss
grant: token
registration: register
summary: total
immutable: frozen unchangeable permanent tamper
oidc: openid federated trust
registry: npm artifactory source
marketplace: shop store sell buy
purchase: bought buy
stubbed: fake test sample
campaign: initiative drive effort
concurrency: parallel simultaneous queue
stack: chain stacked
exclusion: hide ignore keep
finding: smell problem
lfs: large big
large: big huge heavy
hash: checksum sha
suite: evaluation group
insight: analysis
zen: wisdom saying proverb
octocat: mascot cat ascii
cap: maximum most
referral: traffic
manifest: definition
scoped: narrow limited fewer
draft: unfinished idea
variant: query
database: db
digest: hash checksum
primary: main
required: must mandatory needed
subscriber: fan reader
pattern: regex
timing: minutes long duration
attempt: try
revision: version earlier old
blocking: waits
thread: topic
pull: proposal contribution propose
`
