import { isWellFormed, prefix } from "@tollgate/ledger/credential/ApiKey"
import * as Utf8 from "@tollgate/contract/Utf8"
import { parseQuery } from "./query.ts"

const keys = /tg_[0-9a-hjkmnp-tv-z]{39}/g

const holdsKey = (text: string): boolean => text.includes("tg_") && (text.match(keys) ?? []).some(isWellFormed)

const charOf = (_: string, code: string): string => String.fromCharCode(Number.parseInt(code, 16))

/** Readers may decode more than once. */
const mostDecodings = 3

const percentDecoded = (text: string): string => {
  let decoded = text
  for (let i = 0; i < mostDecodings && decoded.includes("%"); i++)
    decoded = decoded.replace(/%([2-7][0-9a-f])/gi, charOf)
  return decoded
}

const unescaped = (json: string): string => json.replace(/\\u00([2-7][0-9a-f])/gi, charOf)

interface Sent {
  readonly query: string
  readonly request: { readonly headers: Readonly<Record<string, string | undefined>> }
}

/** The credential that the caller sent, without the name of the scheme. */
const sentIn = ({ query, request: { headers } }: Sent): string | undefined =>
  headers.authorization?.slice(headers.authorization.lastIndexOf(" ") + 1) ??
  headers["x-api-key"] ??
  headers["x-goog-api-key"] ??
  (query === "" ? undefined : parseQuery(query)?.get("key"))

/** Shorter ones are no credentials, and stand in any text. */
const shortestCredential = 16

/** Whether a parameter or a header holds a key of this gateway, or what the caller signs in with. */
export const holdsCredential = (text: string, exchange: Sent): boolean => {
  const decoded = percentDecoded(text)
  if (holdsKey(decoded)) return true
  const sent = sentIn(exchange)
  return sent !== undefined && sent.length >= shortestCredential && decoded.includes(sent)
}

/** The same for the text of a body, which may be long. A plain one is searched once. */
export const bodyHoldsCredential = (json: string, exchange: Sent, isLarge: boolean): boolean => {
  const sent = sentIn(exchange)
  if (sent === undefined || sent.length < shortestCredential) return false
  // Texts have few underscores, so that one is found faster than the whole key.
  if (json.includes(sent.startsWith(prefix) ? sent.slice(prefix.length - 1) : sent)) return true
  if (isLarge) return false
  if (json.includes("\\u00") && unescaped(json).includes(sent)) return true
  return json.includes("%") && percentDecoded(json).includes(sent)
}

const partBytes = 256 * 1024

/**
 * The same for each part of an upload, whatever its bytes mean. Parts overlap by the length of a credential, so that none lies
 * between two of them.
 */
export function* uploadParts(bytes: Uint8Array, exchange: Sent): Generator<boolean, void> {
  const overlap = sentIn(exchange)?.length ?? 0
  const isLarge = bytes.length > partBytes
  for (let start = 0; start < bytes.length; start += partBytes) {
    const text = Utf8.decode(bytes.subarray(start, start + partBytes + overlap))
    yield bodyHoldsCredential(text, exchange, isLarge)
  }
}
