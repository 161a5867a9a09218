import { Carrier, type Head, type Incoming, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Arr from "effect/Array"
import * as Bytes from "effect/Bytes"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { object } from "./events/Event.ts"

/** The part of `fetch` that is used here and exists in every runtime. */
export type Fetch = (url: string, init: Init) => Promise<Answer>

export interface FetchOptions {
  /** Sends the requests instead of the runtime's `fetch`, which it is called like. */
  readonly fetch?: ((url: string, init: never) => Promise<Answer>) | undefined
}

interface Init {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
  readonly redirect: "manual"
  readonly credentials: "omit"
  /** Missing where the runtime has no cache and refuses the option, as Cloudflare Workers did before 2024-11-11. */
  readonly cache?: "no-store"
  readonly keepalive?: boolean
  readonly signal: unknown
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly headers: { readonly forEach: (each: (value: string, name: string) => void) => void }
  readonly body: { readonly getReader: () => Reader } | null
  readonly arrayBuffer: () => Promise<ArrayBuffer>
}

interface Reader {
  readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
}

declare const fetch: Fetch
declare const Request: { readonly prototype: object }
declare const AbortController: new () => { readonly signal: unknown; readonly abort: () => void }
declare const setTimeout: (work: () => void, millis: number) => unknown
declare const clearTimeout: (timer: unknown) => void

const broken = (cause: unknown) => (cause instanceof NotCarried ? cause : new NotCarried({ why: "broken", cause }))

/** Aborts on interruption and on timeout. A timer instead of racing two fibers saves a fifth of a call's time. */
const within = <A>(millis: number, leave: () => void, begin: () => Promise<A>): Effect.Effect<A, NotCarried> =>
  Effect.callback((resume) => {
    const end = (exit: Exit.Exit<A, NotCarried>) => {
      clearTimeout(timer)
      resume(exit)
    }
    // oxlint-disable-next-line tollgate/no-ambient -- what is timed is the runtime's own
    const timer = setTimeout(() => {
      resume(Exit.fail(new NotCarried({ why: "timeout" })))
      leave()
    }, millis)
    begin().then(
      (value) => end(Exit.succeed(value)),
      (cause: unknown) => end(Exit.fail(broken(cause)))
    )
    return Effect.sync(() => {
      clearTimeout(timer)
      leave()
    })
  })

/** Reads a whole body of at most this many bytes. */
const collect = async (answer: Answer, maxBytes: number, leave: () => void): Promise<Uint8Array> => {
  const reader = maxBytes === Infinity ? undefined : answer.body?.getReader()
  if (reader === undefined) return new Uint8Array(await answer.arrayBuffer())
  const chunks: Array<Uint8Array> = []
  let size = 0
  for (let read = await reader.read(); read.value !== undefined; read = await reader.read()) {
    size += read.value.length
    if (size > maxBytes) {
      leave()
      throw new NotCarried({ why: "too large" })
    }
    chunks.push(read.value)
  }
  return Bytes.concat(chunks)
}

const headOf = ({ headers, status }: Answer): Head => {
  const all: Record<string, string> = {}
  headers.forEach((value, name) => (all[name.toLowerCase()] = value))
  return { status, headers: all }
}

const streamOf = ({ body }: Answer, leave: () => void, idleMillis: number): Stream.Stream<Uint8Array, NotCarried> => {
  const reader = body?.getReader()
  const chunk: Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, NotCarried> = Effect.flatMap(
    within(idleMillis, leave, async () => reader?.read()),
    (read) => (read?.value === undefined ? Cause.done() : Effect.succeed([read.value]))
  )
  return Stream.ensuring(Stream.fromPull(Effect.succeed(chunk)), Effect.sync(leave))
}

const exchange = (
  fetch: Fetch,
  caching: Pick<Init, "cache">,
  outgoing: Outgoing
): Effect.Effect<Incoming, NotCarried> =>
  Effect.suspend(() => {
    const { body = null, deadlineMillis, headers, idleMillis, isStreamed, keepalive, method } = outgoing
    const controller = new AbortController()
    const { signal } = controller
    /** Closes the connection. */
    const leave = () => controller.abort()
    return within(deadlineMillis, leave, async (): Promise<Incoming> => {
      const init = { method, headers, body, signal } as const
      const answer = await fetch(outgoing.origin + outgoing.path, {
        ...init,
        redirect: "manual",
        credentials: "omit",
        ...caching,
        ...(keepalive && { keepalive })
      })
      if (answer.type === "opaqueredirect") throw new Error("the answer is a redirect, which is not followed")
      const head = headOf(answer)
      return isStreamed(head)
        ? { ...head, body: streamOf(answer, leave, idleMillis) }
        : { ...head, body: await collect(answer, outgoing.maxBytes ?? Infinity, leave) }
    })
  })

export const make = (fetch: Fetch): Carrier["Service"] => {
  const caching = "cache" in Request.prototype ? ({ cache: "no-store" } as const) : {}
  return { carry: (outgoing) => exchange(fetch, caching, outgoing) }
}

/** Codes of Node and Bun for a connection that was never made. */
const unsent = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$/

/** The error, or a cause of it, that proves that nothing was sent. */
const proofIn = (error: unknown, depth = 5): unknown => {
  const { cause, code } = object(error)
  if (unsent.test(String(code))) return error
  return depth > 0 && cause !== undefined ? proofIn(cause, depth - 1) : undefined
}

const platformFetch: Fetch = (url, init) =>
  fetch(url, init).catch((error: unknown) => {
    const cause = proofIn(error)
    throw cause === undefined ? error : new NotCarried({ why: "not sent", cause })
  })

/** Uses `fetch`. One of the program's own may repeat requests, so its errors prove nothing. */
export const layerWith = ({ fetch: own = platformFetch as never }: FetchOptions): Layer.Layer<Carrier> => {
  if (typeof own !== "function") throw new TypeError("fetch must be a function")
  return Layer.sync(Carrier, () => make(own as Fetch))
}

/** Uses the runtime's `fetch`. */
export const layer: Layer.Layer<Carrier> = /* @__PURE__ */ layerWith({})
