/** A code block of a guide. */
export interface Block {
  /** Such as `line 24`. */
  readonly place: string
  /** The last heading of the second level before it, or an empty text. */
  readonly heading: string
  readonly language: string
  readonly text: string
  /** The file that the reader saves it as. */
  readonly file: string | undefined
  /** The terminal in which it runs until Ctrl-C. Without one it runs in the reader's own, to its end. */
  readonly terminal: string | undefined
  /** Why no test runs it. */
  readonly notRun: string | undefined
}

export interface Step {
  readonly block: Block
  /** What the guide shows after it, or what it may print if the guide shows nothing. */
  readonly shown: Block | "nothing" | "anything"
}

const attribute = (words: string, name: string): string | undefined =>
  new RegExp(` ${name}=(?:"([^"]*)"|(\\S+))`).exec(words)?.slice(1).find(Boolean)

const withoutIndent = (text: string, indent: string): string => text.replaceAll(new RegExp(`^${indent}`, "gm"), "")

export const blocksIn = (page: string): ReadonlyArray<Block> =>
  [...page.matchAll(/^( *)```(\w*)(.*)\n([\s\S]*?)^\1```$/gm)].map(
    ({ 1: indent = "", 2: language = "", 3: words = "", 4: text = "", index }) => ({
      place: `line ${page.slice(0, index).split("\n").length}`,
      heading: [...page.slice(0, index).matchAll(/^## (.*)$/gm)].at(-1)?.[1] ?? "",
      language,
      text: withoutIndent(text, indent),
      file: attribute(words, "file"),
      terminal: attribute(words, "terminal"),
      notRun: attribute(words, "not-run")
    })
  )

const isShown = ({ file, language }: Block): boolean => ["text", "json"].includes(language) && file === undefined

/** The commands and files of a guide that is all commands, in order. A command without what is shown prints nothing. */
export const stepsIn = (page: string): ReadonlyArray<Step> => {
  const blocks = blocksIn(page)
  return blocks.flatMap((block, index): ReadonlyArray<Step> => {
    const [before, next] = [blocks[index - 1], blocks[index + 1]]
    if (block.language === "sh") return [{ block, shown: next && isShown(next) ? next : "nothing" }]
    if (block.file !== undefined) return [{ block, shown: "nothing" }]
    if (isShown(block) && before?.language === "sh") return []
    throw new Error(`${block.place}: neither a command, nor what one prints, nor a file`)
  })
}

/** The commands and files of a guide that has other blocks too. A command without a text after it may print anything. */
export const commandsIn = (page: string): ReadonlyArray<Step> => {
  const blocks = blocksIn(page)
  return blocks.flatMap((block, index): ReadonlyArray<Step> => {
    const next = blocks[index + 1]
    if (block.file !== undefined) return [{ block, shown: "nothing" }]
    if (block.language !== "sh" || block.notRun !== undefined) return []
    return [{ block, shown: next?.language === "text" ? next : "anything" }]
  })
}
