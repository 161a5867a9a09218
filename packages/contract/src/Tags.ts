import * as Result from "effect/Result"

/** What a caller files a call under, such as a team or a job. Usage is added up for each. */
export type Tags = Readonly<Record<string, string>>

export const mostTags = 8

/** All tags of the largest size, and a space after each comma. */
const longest = mostTags * (32 + 1 + 64 + 2)

const name = /^[a-z0-9][a-z0-9_.-]{0,31}$/
/** Printable ASCII without comma and equals sign, and no space at either end. */
const value =
  /^(?=.{1,64}$)[\x21-\x2b\x2d-\x3c\x3e-\x7e](?:[\x20-\x2b\x2d-\x3c\x3e-\x7e]*[\x21-\x2b\x2d-\x3c\x3e-\x7e])?$/

export const isTagName = (text: string): boolean => name.test(text)
export const isTagValue = (text: string): boolean => value.test(text)

/** `team=search`, or what is wrong with it. */
const parsePair = (text: string, position: number): Result.Result<readonly [string, string], string> => {
  const which = `tag ${position}`
  const at = text.indexOf("=")
  if (at === -1) return Result.fail(`${which} has no equals sign`)
  const pair = [text.slice(0, at).trim(), text.slice(at + 1).trim()] as const
  if (!isTagName(pair[0])) {
    return Result.fail(`the name of ${which} is not 1 to 32 of a-z, 0-9, _, . and -, with a letter or digit first`)
  }
  return isTagValue(pair[1])
    ? Result.succeed(pair)
    : Result.fail(`the value of ${which} is not 1 to 64 printable ASCII characters without , and =`)
}

/** Reads `team=search,job=nightly`, or says what is wrong with it. The text itself is not repeated. */
export const parseTags = (text: string): Result.Result<Tags, string> => {
  if (text.length > longest) return Result.fail(`it is longer than ${longest} characters`)
  const parts = text.split(",")
  if (parts.length > mostTags) return Result.fail(`it has more than ${mostTags} tags`)
  const tags = new Map<string, string>()
  for (const [i, part] of parts.entries()) {
    const pair = parsePair(part.trim(), i + 1)
    if (Result.isFailure(pair)) return Result.fail(pair.failure)
    const [name, value] = pair.success
    if (tags.has(name)) return Result.fail(`tag ${i + 1} has the name of an earlier one`)
    tags.set(name, value)
  }
  return Result.succeed(Object.fromEntries(tags))
}

export const formatTags = (tags: Tags): string =>
  Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(",")
