import { gather } from "../text/reply.ts"
import { callItem, ended, type Generation, itemStatus, messageItem, reasoningItem, textPart } from "./Generation.ts"

/** The answer as one body, and its number of output tokens. */
export const response = (generation: Generation) => {
  const { finish, text, tokens } = gather(generation.reply.parts())
  const status = itemStatus(finish)
  const item =
    generation.reply.call === undefined
      ? messageItem(generation, status, [textPart(text)])
      : callItem(generation, status, text)
  const output = generation.reasoning === 0 ? [item] : [reasoningItem(generation), item]
  return { body: ended(generation, finish, output, tokens), output: generation.reasoning + tokens }
}
