import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

export interface Address {
  readonly host: string
  readonly port: number
  readonly username: string | undefined
  readonly password: Redacted.Redacted | undefined
  readonly database: number
  readonly isTls: boolean
}

const urlOf = (text: string): URL | undefined => {
  try {
    const url = new URL(text)
    // Throws if one of them is not percent-encoded.
    for (const part of [url.username, url.password]) decodeURIComponent(part)
    return url.protocol === "redis:" || url.protocol === "rediss:" ? url : undefined
  } catch {
    return undefined
  }
}

/** Reads `redis://user:password@host:port/database`. A failure never shows the address or a part of it. */
export const parse = (text: Redacted.Redacted): Result.Result<Address, string> => {
  const url = urlOf(Redacted.value(text))
  if (url === undefined) {
    return Result.fail("expected redis://user:password@host:port/database or rediss://…, percent-encoded")
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  if (host === "") return Result.fail("the host is needed")
  if (host.includes(",")) return Result.fail("only one host is supported")
  if (url.search !== "" || url.hash !== "") return Result.fail("nothing is known after ? or #")
  if (!/^\/?(?:\d{1,5})?$/.test(url.pathname)) return Result.fail("the database is a number, such as /0")
  return Result.succeed({
    host,
    port: url.port === "" ? 6379 : Number(url.port),
    username: url.username === "" ? undefined : decodeURIComponent(url.username),
    password: url.password === "" ? undefined : Redacted.make(decodeURIComponent(url.password)),
    database: Number(url.pathname.slice(1)),
    isTls: url.protocol === "rediss:"
  })
}

/** Without user and password, for messages. */
export const shown = ({ database, host, port }: Address): string => `${host}:${port}/${database}`
