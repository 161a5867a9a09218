/** A code block of the guide. */
export interface Block {
  /** Such as `line 24`. */
  readonly place: string
  readonly language: string
  readonly text: string
  /** The file that the reader saves it as. */
  readonly file: string | undefined
  /** The terminal in which it runs until Ctrl-C. Without one it runs in the reader's own, to its end. */
  readonly terminal: string | undefined
}

export interface Step {
  readonly block: Block
  /** What is shown after it. A command without it prints nothing. */
  readonly shown: Block | undefined
}

const attribute = (words: string, name: string): string | undefined => new RegExp(`${name}=(\\S+)`).exec(words)?.[1]

const blocksIn = (page: string): ReadonlyArray<Block> =>
  [...page.matchAll(/^```(\w+)(.*)\n([\s\S]*?)^```$/gm)].map(
    ({ 1: language = "", 2: words = "", 3: text = "", index }) => ({
      place: `line ${page.slice(0, index).split("\n").length}`,
      language,
      text,
      file: attribute(words, "file"),
      terminal: attribute(words, "terminal")
    })
  )

const isShown = ({ file, language }: Block): boolean => ["text", "json"].includes(language) && file === undefined

/** The commands and files of the guide, in order. */
export const stepsIn = (page: string): ReadonlyArray<Step> => {
  const blocks = blocksIn(page)
  return blocks.flatMap((block, index): ReadonlyArray<Step> => {
    const [before, next] = [blocks[index - 1], blocks[index + 1]]
    if (block.language === "sh") return [{ block, shown: next && isShown(next) ? next : undefined }]
    if (block.file !== undefined) return [{ block, shown: undefined }]
    if (isShown(block) && before?.language === "sh") return []
    throw new Error(`${block.place}: neither a command, nor what one prints, nor a file`)
  })
}
