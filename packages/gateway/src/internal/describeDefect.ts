/** The name of a defect and its stack, without its message, which may quote what the caller sent. */
export const nameAndPlace = (defect: unknown): string => {
  if (!(defect instanceof Error)) return typeof defect
  // A line of the message may look like a line of the stack, so the message is cut out first.
  const [, stack = ""] = splitOnce(defect.stack ?? "", defect.message)
  return [defect.name, ...stack.split("\n").filter((line) => /^\s+at /.test(line))].join("\n")
}

const splitOnce = (text: string, at: string): ReadonlyArray<string> => {
  const index = text.indexOf(at)
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + at.length)]
}
