import { expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { WordReader, wordsOf } from "../../../src/faces/tools/catalogue/words.ts"
import { anyText } from "./anyText.ts"

const written = fc.constantFrom(
  "tweetQuotes",
  "repoID",
  "GitHubURLs",
  "2FACode",
  "OpenAI",
  "SSHKeys",
  "ﬁles",
  "™",
  "Ünicode",
  "文書"
)
const separator = fc.constantFrom(" ", "_", "", "-", "\n", "`", "'s ", "\u0301")
const sentence = fc.array(fc.oneof(written, separator, anyText)).map((parts) => parts.join(""))

it.each([
  ["SSHKeys", ["ssh", "key"]],
  ["OpenAI", ["openai"]],
  ["listKeysOfUser", ["list", "key", "user"]],
  ["APIs and LLMs", ["apis", "llm"]],
  ["PDF", ["pdf"]]
])("%s", (text, words) => {
  expect(wordsOf(text)).toEqual(words)
})

it("many texts have the same words, whether they are read together or one by one", () => {
  fc.assert(
    fc.property(fc.array(sentence), (texts) => {
      const { read } = new WordReader()
      // The second time most words are known.
      expect([...texts, ...texts].map(read)).toEqual([...texts, ...texts].map(wordsOf))
    })
  )
})
