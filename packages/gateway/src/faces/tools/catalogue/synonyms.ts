import { meaningsOf } from "./everyday.ts"
import { stem } from "./words.ts"

/** Words of one line stand for each other in a search. A word may be in several lines. */
const lines = `
answer chat converse conversation dialogue talk ask question prompt completion assistant
message conversation chat
openai gpt chatgpt
anthropic claude
gemini google
model llm ai assistant
write draft compose rewrite proofread paraphrase essay poem letter
summarize condense shorten brief
available offered supported
create add new open insert register
update change edit modify rename set replace put patch
delete remove destroy erase drop cancel revoke unassign
list all every
get view detail
member membership belong
follow follower following
organization org company
repository repo
branch ref reference
ask request
review reviewer
generate create make produce render compose synthesis synthesize
image picture photo draw drawing illustration illustrate paint painting art artwork logo icon poster
video clip movie film animation animate footage
stream streaming live token incremental gradual
task job progress status done finished ready running
research investigate study deep thorough report
source reference citation web evidence
order sort rank rerank relevance relevant prioritize best
document passage text paragraph chunk article
usage spend spending spent cost bill billing billed consumption charge charged expense consumed invoice
report statement summary overview
link connect permission consent authorize authorization log login sign auth authenticated oauth attach
account profile
redirect callback
follow subscribe
user person people member profile handle username colleague teammate coworker
post tweet status
quote retweet repost cite
comment opinion discussion reply feedback thread remark say said
tag hashtag topic
topic subject theme
story stories
creator influencer author blogger
insight analytics trend
search find lookup query seek
word keyword term phrase
suggest suggestion autocomplete recommend recommendation idea propose
shop store ecommerce merchant retail marketplace
cache cached earlier again previous saved repeat stored
company firm business corporation corporate stock share equity ticker
financial finance fundamental valuation money
metric figure ratio statistic number kpi indicator
visitor visit traffic audience view pageview
website site domain web homepage
engagement bounce session duration
contract openapi specification spec schema definition documentation
version revision hash
sales revenue turnover sold
list enumerate browse
detail information info describe description fact
weather forecast temperature rain climate
translate translation language french german spanish italian portuguese chinese japanese russian arabic
map geocode geocoding location place coordinate
address postcode zip
route direction navigation
email mail inbox
sms phone telephone
currency exchange forex fx rate
crypto cryptocurrency bitcoin coin blockchain token
news headline press article
flight plane airline airport
hotel accommodation lodging stay
vacancy hiring career employment job position
product item goods merchandise
price pricing cost fee tariff expensive cheap
balance credit fund money remaining left remain available
budget limit quota allowance cap
review rating opinion testimonial
transcribe transcription speech audio voice dictation
ocr scan recognize recognition read
summarize summary shorten abstract
sentiment emotion mood tone
dns whois registrar
recipe dish meal food cook
restaurant cafe dining
sport match game score fixture
law legal court statute case
property estate house home apartment
car vehicle automobile vin
medicine drug medical health medication
patent invention trademark
parcel package shipment shipping delivery tracking
embedding vector embed
moderation safety toxic abuse
crawl scrape extract extraction fetch download
screenshot capture snapshot
follower fan subscriber
holiday vacation
calendar event schedule
password breach leak
malware virus phishing threat
day daily yesterday today week weekly month monthly year yearly january february march april june july august september october november december
history log activity past
latest newest recent
release version
issue bug ticket defect
star starred stargazer favorite bookmark
notification inbox
referrer referral source origin
snippet paste gist
folder directory
file content
contributor committer author
leak leaked exposed
secret credential
pipeline ci build workflow
diff compare comparison difference
protect protection require enforce
transfer move migrate
attach upload
start run trigger launch dispatch execute
stop cancel abort terminate halt
approve accept confirm
reject decline deny refuse
restore recover undelete unarchive
copy duplicate clone fork
mute silence ignore
block ban
setting preference configuration option config
permission role access right privilege
customer client buyer
appointment booking reservation meeting
refund reimburse
payment pay checkout
`

const byWord = new Map<string, Set<string>>()
for (const line of lines.trim().split("\n")) {
  const words = [...new Set(line.split(" ").map(stem))]
  for (const word of words) {
    const others = byWord.get(word) ?? new Set()
    byWord.set(word, others)
    for (const other of words) if (other !== word) others.add(other)
  }
}

const none: ReadonlySet<string> = new Set()

/** The stems that may stand for this one. */
export const synonymsOf = (word: string): ReadonlySet<string> => {
  const own = byWord.get(word) ?? none
  const more = meaningsOf(word)
  return more.size === 0 ? own : new Set([...own, ...more])
}
