import { wordsOf } from "./words.ts"

interface Phrase {
  readonly said: RegExp
  readonly meant: string
  /** It is what the question is about: the other words only say of what. */
  readonly isSubject?: boolean
}

const subject = (said: RegExp, meant: string): Phrase => ({ said, meant, isSubject: true })
const phrase = (said: RegExp, meant: string): Phrase => ({ said, meant })

/** What people say in several words that mean nothing one by one, and what interfaces call it. */
const phrases: ReadonlyArray<Phrase> = [
  // Addresses are examples of what is meant.
  phrase(/\bhttps?:\/\/\S+/gi, ""),
  phrase(/\b(?:[a-z\d-]+\.)+(?:com|org|net|io|dev|co|app|edu|gov|[a-z]{2})\b(?![.\w/])/g, "website"),

  phrase(/\bwho ?am ?i\b(?: (?:logged|signed) in(?: as)?)?/gi, "get the authenticated user"),
  phrase(/\b(?:log|logged|logging|sign|signed|signing) ?in\b/gi, "login"),
  phrase(/\bpr(s?)\b/gi, "pull request$1"),

  // Money.
  phrase(/\b(?:requests?|calls?|quota) (?:do i (?:still )?have |are |is )?(?:left|remaining)\b/gi, "rate limit status"),
  phrase(/\b(?:run|runs|running|ran) (?:out|low|short)(?: (?:of|on))?\b/gi, "balance left"),
  phrase(/\bhow much (?:money |credit )?(?:do|can|may|have) (?:i|we)\b(?= (?:still|have|spend|got))/gi, "balance"),
  phrase(/\b(?:i|we)(?: have|'ve)?(?: been)? (?:used|spent|consumed|paid|billed|charged)\b/gi, "usage charge"),
  phrase(
    /\b(?:did|have) (?:i|we|my \w+)(?: been)? (?:use|used|spend|spent|consume|consumed|pay|paid|charged|billed)\b/gi,
    "usage charge"
  ),
  phrase(/\bmoney spent\b/gi, "usage charge"),
  subject(/\b(?:which|what) (?:day|week|month)\b/gi, "usage day"),
  subject(/\bhow (?:much|expensive|costly) (?:is|are|does|do|would|will)\b(?! (?:i|we)\b)/gi, "price pricing"),
  subject(/\b(?:cheap|cheaper|cheapest|least expensive|most expensive|affordable)\b/gi, "price"),
  subject(/\b(?:costs?|prices?) (?:of|for)\b/gi, "price"),
  subject(/\b(?:do|does|would|will) (?:you|it|this|that|they) (?:charge|cost)\b/gi, "price"),

  // What is undone: `stop following` is `unfollow`.
  phrase(/\b(?:undo|reverse)\b(?: (?:a|the|my))? ([a-z]+)/gi, "remove un$1 $1"),
  phrase(
    /\bstop (?:getting|receiving|being) (?:notified|notifications?|emails?|messages?|alerts?)\b/gi,
    "delete subscription notification"
  ),
  phrase(/\bstop ([a-z]{3,}?)ing\b/gi, "remove un$1 $1"),
  phrase(/\bno longer (?:need|want|use)\b/gi, "delete"),

  // What is not done.
  phrase(/\bwithout (?:[a-z]+ing\b|(?:a|any) [a-z]+\b)/gi, ""),

  // An interface tells a program of changes with a webhook.
  phrase(
    /\b(?:tell|notify|inform|alert|ping|call) (?:my|our|a|the) (?:server|backend|app|url|endpoint|service|program|script) (?:when|whenever|as soon as|each time|every time)\b/gi,
    "create webhook"
  ),

  // What every operation that reads gives.
  phrase(/\b(?:information|info|facts|data) (?:about|on|of|for)\b/gi, "get"),
  phrase(/\bhistory of\b/gi, "list history"),
  phrase(/^\s*what(?:'s| is| are| do i have)? (?:in|inside|within)\b/gi, "list contents items in"),
  phrase(/\b(?:given|certain|particular|specific)\b/gi, "one"),

  // What there is of a thing, and what it is about.
  phrase(/\b(?:what |which )?(?:kinds?|sorts?|types?) of ([a-z]+?)s?\b/gi, "list $1 types"),
  phrase(/^\s*([a-z]+)(?= (?:named|called|matching|containing|mentioning|about)\b)/gi, "search $1"),
  phrase(/\b(?:is|are|was|were|been|be) (?:doing|up to)\b/gi, "activity events"),

  // People.
  phrase(/\b(?:log|sign)(?:s|ged|ging|ed|ing)?\b(?=.* out\b)(?! in\b)/gi, "revoke authorization"),
  phrase(/\bwho(?:'s| is| are| all is)? (?:in|on|part of|belongs? to)\b/gi, "list members users of"),
  phrase(/\b(add|put|remove|kick|throw|delete) (?:somebody|someone|him|her|them|people|a person)\b/gi, "$1 member"),
  phrase(/^\s*(?:let|allow|permit)\b(?=.*\b(?:use|join|in|into)\b)/gi, "add"),
  phrase(/\bwhom?\b(?= (?:do|does|did)\b)/gi, "list people"),

  // Things of two words.
  phrase(/\bbuild (?:machine|agent|server|computer)(s?)\b/gi, "runner$1"),
  phrase(/\bmerge request(s?)\b/gi, "pull request$1"),
  phrase(/\bsecurity (?:hole|problem|bug|flaw|warning|issue)s?\b/gi, "vulnerability alert security"),
  phrase(/\bpart of\b/gi, "parent"),
  phrase(/\bhow far along\b/gi, "progress"),
  phrase(/\btoo (?:long|big|large)\b/gi, "length size"),
  phrase(/\b(?:set|cost) (?:me|us|you) back\b/gi, "price cost"),

  // How it is done.
  phrase(/\b(?:at once|in (?:bulk|one go))\b/gi, "batch bulk"),
  phrase(/\bin (?:the )?background\b/gi, "async asynchronous"),

  // Verbs of two words.
  phrase(/\b(?:take|taking|pull|strip|throw|toss|clear)\b(?=.*\b(?:off|away|down)\b)/gi, "remove"),
  phrase(/\b(?:turn|switch|shut)(?:ing)?\b(?=.*\boff\b)/gi, "disable"),
  phrase(/\bmake\b(?=.*\b(?:private|public|visible|invisible)\b)/gi, "update"),
  phrase(/\blook(?:ing)? into\b/gi, "research"),
  phrase(/\bfind(?:ing)? out\b(?= (?:about|what|why|how|more)\b)/gi, "search research"),
  phrase(/\b(?:look(?:ing)? up|find(?:ing)? out)\b/gi, "get"),
  phrase(/\b(?:hand|give|pass)(?:ing)? (?:over|away|on)\b/gi, "transfer"),
  phrase(/\b(?:kick|throw)(?:ing)?\b(?=.*\bout\b)/gi, "remove"),
  phrase(/\bget(?:ting)? rid of\b/gi, "delete"),
  phrase(/\bcall(?:ing)? off\b/gi, "cancel"),
  phrase(/\b(?:take|taking) back\b/gi, "remove"),
  phrase(/\b(?:bring|get|put)(?:ing|ting)? (?:it |them )?back\b/gi, "restore"),
  phrase(/\b(?:take|taking|throw|throwing)\b(?=.*\bout of\b)/gi, "remove"),
  phrase(/\b(?:hand|turn)(?:s|ed|ing)? in\b/gi, "submit"),
  phrase(/\bworks?\b(?= (?:on|for|at|with)\b)/gi, ""),
  phrase(/\b(?:post|leave|write|put|say)\b(?=.*\b(?:under|below|beneath)\b)/gi, "create comment"),
  phrase(/\b(?:turn|switch)(?:ing)? on\b/gi, "enable"),
  phrase(/\b(?:turn|switch)(?:ing)? off\b/gi, "disable"),
  phrase(/\bset(?:ting)? up\b/gi, "create"),
  phrase(/\bsign(?:ing)? up\b/gi, "register"),
  phrase(/\b(?:bring|keep)(?:ing)?\b(?=.*\bup to date\b)/gi, "sync update"),
  phrase(/\bwhere\b(?=.*\b(?:come|comes|came) from\b)/gi, "source"),
  phrase(/\b(?:called|named)\b/gi, "name"),
  phrase(/\bmost recent\b/gi, "latest"),
  phrase(/\bby hand\b/gi, "manually")
]

/** The query in the words of interfaces. */
export const inTheirWords = (query: string): string =>
  phrases.reduce((text, { meant, said }) => text.replace(said, meant), query)

/** The words that the question is about, if it says so. */
export const subjectsOf = (query: string): ReadonlySet<string> =>
  new Set(
    phrases.flatMap(({ isSubject, meant, said }) =>
      isSubject === true && query.search(said) !== -1 ? wordsOf(meant) : []
    )
  )
