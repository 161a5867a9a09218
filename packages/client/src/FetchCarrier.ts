import { Carrier, type Head, type Incoming, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"

/** As much of the web's `fetch` as is needed here, which is in every runtime. */
export type Fetch = (url: string, init: Init) => Promise<Answer>

interface Init {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
  readonly redirect: "manual"
  readonly credentials: "omit"
  readonly cache: "no-store"
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
declare const AbortController: new () => { readonly signal: unknown; readonly abort: () => void }

const broken = (cause: unknown) => new NotCarried({ why: "broken", cause })

const within = <A, E>(effect: Effect.Effect<A, E>, millis: number): Effect.Effect<A, E | NotCarried> =>
  Effect.timeoutOrElse(effect, {
    duration: millis,
    orElse: () => Effect.fail(new NotCarried({ why: "timeout" }))
  })

const headOf = ({ headers, status }: Answer): Head => {
  const all: Record<string, string> = {}
  headers.forEach((value, name) => (all[name.toLowerCase()] = value))
  return { status, headers: all }
}

/** `leave` closes the connection. */
const streamOf = ({ body }: Answer, leave: () => void, idleMillis: number): Stream.Stream<Uint8Array, NotCarried> => {
  const reader = body?.getReader()
  const chunk: Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, NotCarried> = Effect.flatMap(
    Effect.tryPromise({ try: async () => reader?.read(), catch: broken }),
    (read) => (read?.value === undefined ? Cause.done() : Effect.succeed([read.value]))
  )
  return Stream.ensuring(Stream.fromPull(Effect.succeed(within(chunk, idleMillis))), Effect.sync(leave))
}

const exchange = (fetch: Fetch, outgoing: Outgoing): Effect.Effect<Incoming, NotCarried> =>
  Effect.callback((resume) => {
    const { body = null, headers, method } = outgoing
    const controller = new AbortController()
    const { signal } = controller
    const leave = () => controller.abort()
    const init = { method, headers, body, signal } as const
    const begun = fetch(outgoing.origin + outgoing.path, {
      ...init,
      redirect: "manual",
      credentials: "omit",
      cache: "no-store"
    })
    const carried = async (answer: Answer): Promise<Incoming> => {
      if (answer.type === "opaqueredirect") throw new Error("the answer is a redirect, which is not followed")
      const head = headOf(answer)
      return outgoing.isStreamed(head)
        ? { ...head, body: streamOf(answer, leave, outgoing.idleMillis) }
        : { ...head, body: new Uint8Array(await answer.arrayBuffer()) }
    }
    begun.then(carried).then(
      (incoming) => resume(Exit.succeed(incoming)),
      (cause: unknown) => resume(Exit.fail(broken(cause)))
    )
    return Effect.sync(leave)
  })

export const make = (fetch: Fetch): Carrier["Service"] => ({
  carry: (outgoing) => within(exchange(fetch, outgoing), outgoing.deadlineMillis)
})

/** Over the runtime's own `fetch`, which cannot tell whether a request that failed was sent. */
export const layer: Layer.Layer<Carrier> = Layer.sync(Carrier, () => make((url, init) => fetch(url, init)))
