import type { Dispatcher } from "undici"

type Head = (this: object, status: number, ...rest: ReadonlyArray<unknown>) => number
interface Parser {
  onHeadersComplete: Head
}

const patched = new WeakSet<object>()

const propertyOf = (object: object, name: string): unknown => {
  const symbol = Object.getOwnPropertySymbols(object).find(({ description }) => description === name)
  return symbol === undefined ? undefined : Reflect.get(object, symbol)
}

const isParser = (value: unknown): value is Parser =>
  typeof value === "object" && value !== null && "onHeadersComplete" in value

/**
 * undici skips every informational answer but 100, for which it breaks the connection. Some servers send that one unasked, so
 * it is handed to undici's parser as another one. There is no setting for it, so this reaches for the parser of the first
 * connection; the version of undici is pinned, and a test with a bare upstream tells if that ends.
 */
export const skipContinue = (_: URL, targets: ReadonlyArray<Dispatcher>): void => {
  const client = targets.at(-1)
  const socket = client === undefined ? undefined : propertyOf(client, "socket")
  const parser = typeof socket === "object" && socket !== null ? propertyOf(socket, "parser") : undefined
  if (!isParser(parser)) return
  const prototype: unknown = Object.getPrototypeOf(parser)
  if (!isParser(prototype) || patched.has(prototype)) return
  patched.add(prototype)
  const { onHeadersComplete } = prototype
  prototype.onHeadersComplete = function (status, ...rest) {
    return onHeadersComplete.call(this, status === 100 ? 102 : status, ...rest)
  }
}
