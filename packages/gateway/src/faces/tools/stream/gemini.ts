import {
  type Assembler,
  type Fields,
  fieldsIn,
  inOrder,
  listIn,
  partAt,
  type TextRoom,
  withFields
} from "./Assembler.ts"

interface Candidate {
  head: Fields
  content: Fields
  readonly parts: Array<Fields>
}

const mostParts = 1_000

/** Whether a part is text and nothing else but a mark that it is a thought. */
const isText = (part: Fields | undefined): part is Fields & { readonly text: string } =>
  typeof part?.["text"] === "string" && Object.keys(part).every((name) => name === "text" || name === "thought")

/** Gemini. */
export const gemini = (room: TextRoom): Assembler => {
  let head: Fields | undefined
  const candidates = new Map<number, Candidate>()

  const takePart = (parts: Array<Fields>, part: Fields): void => {
    const last = parts.at(-1)
    if (!isText(part)) {
      if (parts.length < mostParts && room.takeList([part])) parts.push(part)
    } else if (isText(last) && last["thought"] === part["thought"]) {
      parts[parts.length - 1] = { ...last, text: last.text + room.fitting(part.text) }
    } else if (parts.length < mostParts) parts.push({ ...part, text: room.fitting(part.text) })
  }

  const takeCandidate = ({ content, ...more }: Fields): void => {
    const candidate = partAt(candidates, more["index"], () => ({ head: {}, content: {}, parts: [] }))
    if (candidate === undefined) return
    const { parts, ...rest } = fieldsIn(content)
    candidate.head = withFields(candidate.head, more)
    candidate.content = withFields(candidate.content, rest)
    for (const part of listIn(parts)) takePart(candidate.parts, part)
  }

  return {
    take: ({ candidates: given, error: _, ...more }) => {
      if (given === undefined && more["usageMetadata"] === undefined && more["promptFeedback"] === undefined) return
      head = withFields(head ?? {}, more)
      for (const candidate of listIn(given)) takeCandidate(candidate)
    },
    answer: () =>
      head && {
        candidates: inOrder(candidates).map(({ content, head, parts }) => ({
          content: { parts, ...content },
          ...head
        })),
        ...head
      }
  }
}
