import type { PromiseCallOptions, PromiseClient, PromiseQuoteOptions, CallPromise, EventStream } from "@tollgate/client"
import type { Json } from "@tollgate/protocols/json"
import { chat, messages, type Protocol } from "../conversation/protocols.ts"

/** An operation of the gateway that answers conversations. */
export interface Api {
  readonly name: string
  readonly path: string
  readonly protocol: Protocol
  /** What upstreams load themselves. */
  readonly supportedUrls: Record<string, Array<RegExp>>
  readonly call: (client: PromiseClient, input: Json, options: PromiseCallOptions) => CallPromise<unknown>
  readonly stream: (client: PromiseClient, input: Json, options: PromiseCallOptions) => EventStream<unknown>
  readonly quote: (
    client: PromiseClient,
    input: Json,
    options: PromiseQuoteOptions
  ) => PromiseLike<{ readonly estimate_micros_usd: number; readonly max_micros_usd: number }>
}

const addresses = [/^https?:\/\/.+$/]

/** In the format of OpenAI. */
export const chatApi: Api = {
  name: "chat",
  path: "/v1/chat/completions",
  protocol: chat,
  supportedUrls: { "image/*": addresses },
  call: (client, input, options) => client.chatCompletions(input as never, options),
  stream: (client, input, options) => client.chatCompletionsStream(input as never, options),
  quote: (client, input, options) => client.quote.chatCompletions(input as never, options)
}

/** In the format of Anthropic. */
export const messagesApi: Api = {
  name: "messages",
  path: "/v1/messages",
  protocol: messages,
  supportedUrls: { "image/*": addresses, "application/pdf": addresses },
  call: (client, input, options) => client.messages(input as never, options),
  stream: (client, input, options) => client.messagesStream(input as never, options),
  quote: (client, input, options) => client.quote.messages(input as never, options)
}
