import {
  type CallOptions,
  type Charge,
  chatCompletionsStream,
  type Client,
  type EventStream,
  messagesStream,
  type PromiseCallOptions,
  type PromiseClient,
  type PromiseGenerateVideoOptions,
  type PromisePageOptions,
  type PromiseStreamOptions,
  type PromiseVideoOptions,
  type StreamOptions
} from "@tollgate/client"
import type * as operations from "@tollgate/client/operations"
import { cancelStream, resumable, resumeStream } from "@tollgate/client/resumable"
import { testClient } from "@tollgate/client/testing"
import type * as Effect from "effect/Effect"
import { expectTypeOf, it } from "vitest"

type OptionsOf<F> = F extends (input: never, options?: infer O) => unknown ? NonNullable<O> : never

type Operations = typeof operations
type Streams = { [K in keyof Operations]: K extends `${string}Stream` ? K : never }[keyof Operations]
type Videos = "awaitVideo" | "generateVideo" | "videoProgress"
type Lists = "postCommentsItems" | "postCommentsPages" | "tweetQuotesItems" | "tweetQuotesPages"
type Calls = Exclude<keyof Operations, Streams | Videos | Lists> & keyof PromiseClient

it("every function takes the options of its kind, with Effect and with promises", () => {
  expectTypeOf<OptionsOf<Operations[Streams]>>().toEqualTypeOf<StreamOptions>()
  expectTypeOf<OptionsOf<PromiseClient[Streams]>>().toEqualTypeOf<PromiseStreamOptions>()
  expectTypeOf<OptionsOf<Operations[Calls]>>().toEqualTypeOf<CallOptions>()
  expectTypeOf<OptionsOf<PromiseClient[Calls]>>().toEqualTypeOf<PromiseCallOptions>()
  expectTypeOf<OptionsOf<PromiseClient[Lists]>>().toEqualTypeOf<PromisePageOptions>()
  expectTypeOf<OptionsOf<PromiseClient["awaitVideo" | "videoProgress"]>>().toEqualTypeOf<PromiseVideoOptions>()
  expectTypeOf<OptionsOf<PromiseClient["generateVideo"]>>().toEqualTypeOf<PromiseGenerateVideoOptions>()
})

it("a stream that is resumed takes every option but those that its token has", () => {
  const { client } = testClient()
  const token = { operation: "chat.completions", idempotencyKey: "k1", input: {} }
  const call = {
    timeout: "5 seconds",
    attemptTimeout: 1_000,
    idleTimeout: "1 minute",
    retries: 1,
    headers: { "x-a": "b" },
    maxPrice: "0.01",
    scenario: "slow",
    tags: { team: "a" },
    cache: "use"
  } as const
  const { signal } = new AbortController()
  const events = resumeStream(client.chatCompletionsStream, resumable(token), { ...call, signal, onCharge: () => {} })
  expectTypeOf(events).toEqualTypeOf<ReturnType<PromiseClient["chatCompletionsStream"]>>()
  expectTypeOf(events).toExtend<EventStream<object>>()
  const stream = resumeStream(chatCompletionsStream, resumable(token), call)
  expectTypeOf(stream).toEqualTypeOf<ReturnType<typeof chatCompletionsStream>>()
  // @ts-expect-error -- a signal is of promises
  resumeStream(chatCompletionsStream, resumable(token), { signal })
  // @ts-expect-error -- the token has the key
  resumeStream(client.chatCompletionsStream, resumable(token), { idempotencyKey: "k2" })
  // @ts-expect-error -- misspelt
  resumeStream(client.chatCompletionsStream, resumable(token), { timeOut: 1 })
})

it("a stream that is canceled tells its charge", () => {
  const { client } = testClient()
  const cancel = () => cancelStream(client.messagesStream, resumable())
  expectTypeOf(cancel).returns.toEqualTypeOf<Promise<Charge>>()
  const canceled = () => cancelStream(messagesStream, resumable())
  expectTypeOf<Effect.Success<ReturnType<typeof canceled>>>().toEqualTypeOf<Charge>()
  expectTypeOf<Effect.Services<ReturnType<typeof canceled>>>().toEqualTypeOf<Client>()
})
