import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import {
  type Conversation,
  geminiConversation,
  messagesConversation,
  openaiConversation,
  responsesConversation
} from "./conversation.ts"

/** The shape in which each operation for conversations takes them. */
const protocols: Readonly<Record<string, Conversation>> = {
  "chat.completions": openaiConversation,
  "deep_research.search": openaiConversation,
  responses: responsesConversation,
  messages: messagesConversation,
  "models.generate_content": geminiConversation,
  "models.stream_generate_content": geminiConversation
}

export const conversationOf = ({ template }: OfferedOperation): Conversation | undefined =>
  Object.hasOwn(protocols, template) ? protocols[template] : undefined

export const isChat = (operation: OfferedOperation): boolean => conversationOf(operation) !== undefined
