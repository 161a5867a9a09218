/** What people say in several words that mean nothing one by one, and what interfaces call it. */
const phrases: ReadonlyArray<readonly [said: RegExp, meant: string]> = [
  [/\bwho ?am ?i\b(?: (?:logged|signed) in(?: as)?)?/gi, "get the authenticated user"],
  [/\b(?:log|logged|logging|sign|signed|signing) ?in\b/gi, "login"],
  [/\b(?:requests?|calls?|quota) (?:do i (?:still )?have |are |is )?(?:left|remaining)\b/gi, "rate limit status"],
  [/\blook(?:ing)? up\b/gi, "get"],
  [/\bprs?\b/gi, "pull request"]
]

/** The query in the words of interfaces. */
export const inTheirWords = (query: string): string =>
  phrases.reduce((text, [said, meant]) => text.replace(said, meant), query)
