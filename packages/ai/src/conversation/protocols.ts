import type { Codec } from "@tollgate/protocols/Codec"
import * as chatAnswer from "@tollgate/protocols/chat/answer"
import * as chatRequest from "@tollgate/protocols/chat/request"
import * as messagesAnswer from "@tollgate/protocols/messages/answer"
import * as messagesRequest from "@tollgate/protocols/messages/request"

/** A caller's half of a protocol. A bundle leaves out the other half. */
export type Protocol = Pick<Codec, "shape" | "writeRequest" | "readAnswer" | "reader">

/** The protocol of `chatCompletions`. */
export const chat: Protocol = {
  shape: "chat",
  writeRequest: chatRequest.writeRequest,
  readAnswer: chatAnswer.readAnswer,
  reader: chatAnswer.reader
}

/** The protocol of `messages`. */
export const messages: Protocol = {
  shape: "messages",
  writeRequest: messagesRequest.writeRequest,
  readAnswer: messagesAnswer.readAnswer,
  reader: messagesAnswer.reader
}
