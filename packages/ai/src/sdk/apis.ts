import { chat, gemini, messages, type Protocol, responses } from "../conversation/protocols.ts"

/** An operation of the gateway that answers conversations. */
export interface Api {
  readonly name: string
  readonly path: string
  readonly protocol: Protocol
  /** What upstreams load themselves. */
  readonly supportedUrls: Record<string, Array<RegExp>>
  readonly call: "chatCompletions" | "messages" | "responses" | "generateContent"
  readonly stream: `${Api["call"]}Stream`
}

const addresses = [/^https?:\/\/.+$/]

/** In the format of OpenAI. */
export const chatApi: Api = {
  name: "chat",
  path: "/v1/chat/completions",
  protocol: chat,
  supportedUrls: { "image/*": addresses },
  call: "chatCompletions",
  stream: "chatCompletionsStream"
}

/** In the format of Anthropic. */
export const messagesApi: Api = {
  name: "messages",
  path: "/v1/messages",
  protocol: messages,
  supportedUrls: { "image/*": addresses, "application/pdf": addresses },
  call: "messages",
  stream: "messagesStream"
}

/** In OpenAI's newer format. */
export const responsesApi: Api = {
  name: "responses",
  path: "/v1/responses",
  protocol: responses,
  supportedUrls: { "image/*": addresses, "application/pdf": addresses },
  call: "responses",
  stream: "responsesStream"
}

/** In the format of Google. `ai` loads what only some of its models load. */
export const geminiApi: Api = {
  name: "gemini",
  path: "/v1beta/models/{model}:generateContent",
  protocol: gemini,
  supportedUrls: { "*": [/^https:\/\/(?:(?:www\.)?youtube\.com\/watch\?|youtu\.be\/)/] },
  call: "generateContent",
  stream: "generateContentStream"
}
