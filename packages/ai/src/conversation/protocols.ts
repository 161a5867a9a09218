import type { Codec } from "@tollgate/protocols/Codec"
import * as chatAnswer from "@tollgate/protocols/chat/answer"
import * as chatRequest from "@tollgate/protocols/chat/request"
import * as geminiAnswer from "@tollgate/protocols/generateContent/answer"
import * as geminiRequest from "@tollgate/protocols/generateContent/request"
import * as messagesAnswer from "@tollgate/protocols/messages/answer"
import * as messagesRequest from "@tollgate/protocols/messages/request"
import * as responsesAnswer from "@tollgate/protocols/responses/answer"
import * as responsesEvents from "@tollgate/protocols/responses/events"
import * as responsesRequest from "@tollgate/protocols/responses/request"

/** A caller's half of a protocol. A bundle leaves out the other half. */
export type Protocol = Pick<Codec, "shape" | "writeRequest" | "readAnswer" | "reader">

export const chat: Protocol = {
  shape: "chat",
  writeRequest: chatRequest.writeRequest,
  readAnswer: chatAnswer.readAnswer,
  reader: chatAnswer.reader
}

export const messages: Protocol = {
  shape: "messages",
  writeRequest: messagesRequest.writeRequest,
  readAnswer: messagesAnswer.readAnswer,
  reader: messagesAnswer.reader
}

export const responses: Protocol = {
  shape: "responses",
  writeRequest: responsesRequest.writeRequest,
  readAnswer: responsesAnswer.readAnswer,
  reader: responsesEvents.reader
}

/** The protocol of `generateContent`, whose model is in the path. */
export const gemini: Protocol = {
  shape: "generateContent",
  writeRequest: (conversation, lost, options) => ({
    path: { model: conversation.model },
    body: geminiRequest.writeRequest(conversation, lost, options)
  }),
  readAnswer: geminiAnswer.readAnswer,
  reader: geminiAnswer.reader
}
