import { type Assembler, type Fields, fieldsIn, inOrder, isFields, partAt, type TextRoom } from "./Assembler.ts"

/** The events whose response is whole. */
const ends: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete", "response.failed"])

/** Responses. The last event has all of it; of a stream that broke there is what arrived. */
export const responses = (room: TextRoom): Assembler => {
  let begun: Fields | undefined
  let ended: Fields | undefined
  const items = new Map<number, { item: Fields; text: string }>()

  const itemOf = ({ item, text }: { readonly item: Fields; readonly text: string }): Fields => {
    if (text === "") return item
    return item["type"] === "message"
      ? { ...item, content: [{ type: "output_text", text }] }
      : { ...item, arguments: text }
  }

  return {
    take: ({ delta, item, output_index, response, type }) => {
      if (isFields(response)) {
        if (ends.has(type)) ended = response
        else begun = response
      }
      switch (type) {
        case "response.output_item.added":
        case "response.output_item.done": {
          const at = partAt(items, output_index, () => ({ item: {}, text: "" }))
          if (at === undefined) break
          at.item = fieldsIn(item)
          if (type === "response.output_item.done") at.text = ""
          break
        }
        case "response.output_text.delta":
        case "response.function_call_arguments.delta": {
          const at = partAt(items, output_index, () => ({ item: {}, text: "" }))
          if (at !== undefined && typeof delta === "string") at.text += room.fitting(delta)
        }
      }
    },
    answer: () => ended ?? (begun && { ...begun, output: inOrder(items).map(itemOf) })
  }
}
