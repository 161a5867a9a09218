import type { Family } from "@tollgate/contract/errors/Family"
import type { Learned } from "./learned.ts"

/** What a client is asked to do: a chat completion, one that is streamed, or a call that is refused in a family's shape. */
export type Ask = "whole" | "stream" | Family

export type Way = (baseUrl: string, limitMillis: number) => Promise<Learned>

/** Retries are as each comes with; where an ask is missing, it does not speak that protocol. */
export type Ways = Partial<Readonly<Record<Ask, Way>>>

const messages = [{ role: "user" as const, content: "Why do rivers bend?" }]
export const chat = { model: "sandbox", messages }
export const message = { ...chat, max_tokens: 200 }
export const content = { contents: [{ role: "user", parts: [{ text: "Why do rivers bend?" }] }] }
export const video = { model: "sandbox-video", input: { prompt: "a river" } }

export const costState = "x-tollgate-cost-state"
