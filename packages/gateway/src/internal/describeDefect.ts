/** A defect's name and stack, without its message, which may quote what the caller sent. */
export const describeDefect = (defect: unknown): string => {
  if (!(defect instanceof Error)) return typeof defect
  // The message comes first in the stack, and a line of it may look like a stack frame.
  const [, stack = ""] = splitOnce(defect.stack ?? "", defect.message)
  return [defect.name, ...stack.split("\n").filter((line) => /^\s+at /.test(line))].join("\n")
}

const splitOnce = (text: string, at: string): ReadonlyArray<string> => {
  const index = text.indexOf(at)
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + at.length)]
}
