import type { Family } from "@tollgate/contract/errors/Family"
import type { CallerResult } from "./CallerResult.ts"

/** A chat completion, a streamed one, or a call that is refused in a family's format. */
export type CallKind = "whole" | "stream" | Family

export type ClientCall = (baseUrl: string, limitMillis: number) => Promise<CallerResult>

/** The calls of a client with its default retries. A kind is missing if the client does not support its protocol. */
export type ClientCalls = Partial<Readonly<Record<CallKind, ClientCall>>>

const messages = [{ role: "user" as const, content: "Why do rivers bend?" }]
export const chat = { model: "sandbox", messages }
export const message = { ...chat, max_tokens: 200 }
export const content = { contents: [{ role: "user" as const, parts: [{ text: "Why do rivers bend?" }] }] }
export const video = { model: "sandbox-video", input: { prompt: "a river" } }

export const costState = "x-tollgate-cost-state"
