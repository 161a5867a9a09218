/** What looks like a credential. Callers put their keys into odd places, such as the name of a model. */
const credential = /tg_[0-9A-Za-z]{16,}|\b(Bearer|Basic)\s+[^\s"',;]+/gi

/** Hides credentials in a text that callers or upstreams chose. */
export const redact = (text: string): string =>
  text.replaceAll(credential, (_, scheme: string | undefined) =>
    scheme === undefined ? "<redacted>" : `${scheme} <redacted>`
  )
