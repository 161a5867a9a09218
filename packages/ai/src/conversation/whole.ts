import type { AnswerPart, Ending, Json, Protocol } from "./Conversation.ts"

/** A whole answer. */
export interface Answer extends Ending {
  readonly parts: ReadonlyArray<AnswerPart>
  readonly id: string | undefined
  readonly model: string | undefined
  readonly seconds: number | undefined
}

/** Reads a whole answer as if its events had arrived, so that both ways mean the same. */
export const readWhole = ({ eventsOf, reader }: Protocol, answer: Json): Answer => {
  const reading = reader()
  const parts: Array<AnswerPart> = []
  const texts = new Map<string, string>()
  let head: { readonly id?: string; readonly model?: string; readonly seconds?: number } = {}
  for (const delta of [...eventsOf(answer).flatMap((event) => reading.next(event)), ...reading.close()]) {
    switch (delta.type) {
      case "response":
        head = delta
        break
      case "text-delta":
      case "reasoning-delta":
        texts.set(delta.id, (texts.get(delta.id) ?? "") + delta.delta)
        break
      case "text-end":
        parts.push({ type: "text", text: texts.get(delta.id) ?? "" })
        break
      case "reasoning-end":
        parts.push({ type: "reasoning", text: texts.get(delta.id) ?? "", proof: delta.proof })
        break
      case "call":
        parts.push(delta)
    }
  }
  return { parts, id: head.id, model: head.model, seconds: head.seconds, ...reading.ending() }
}
