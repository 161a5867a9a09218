import { type IntGenerator, pick } from "../SeededRandom.ts"

const common = new Set(
  (
    "about after again also because been before being between both could does doing down each even ever every from give " +
    "have here into just like made make many more most much must need only other over please same should show some " +
    "such tell than that their them then there these they this those through under very want well were what when where " +
    "which while whom will with word words would write your yours"
  ).split(" ")
)

const maxMessageLength = 4_000
const maxWordLength = 24

/** Up to three words that the message is probably about. */
export const topics = (message: string): readonly [string, ...ReadonlyArray<string>] => {
  const words = (message.slice(0, maxMessageLength).match(/[\p{L}\p{N}]+/gu) ?? []).filter(
    (word) => word.length > 3 && word.length <= maxWordLength && !common.has(word.toLowerCase())
  )
  const [first = "this", ...rest] = [...new Set(words)].slice(0, 3)
  return [first, ...rest]
}

type Sentence = (topic: string) => string

const openings: readonly [Sentence, ...ReadonlyArray<Sentence>] = [
  (topic) => `In short, “${topic}” comes down to a few plain facts.`,
  (topic) => `There is more than one good way to look at “${topic}”.`,
  (topic) => `The short answer on “${topic}” is that it depends on what you compare it with.`,
  (topic) => `Most questions about “${topic}” have a simple core.`
]

const middles: readonly [Sentence, ...ReadonlyArray<Sentence>] = [
  (topic) => `People who know “${topic}” well start from what can be measured.`,
  (topic) => `The usual account of “${topic}” leaves out how slowly it changed.`,
  (topic) => `Costs matter as much for “${topic}” as the result does.`,
  (topic) => `Two examples of “${topic}” are seldom alike, so a rule has exceptions.`,
  (topic) => `What is written about “${topic}” is often older than it looks.`,
  (topic) => `A careful reader will ask where the numbers on “${topic}” come from.`,
  (topic) => `Seen from close by, “${topic}” is less tidy than in a textbook.`,
  (topic) => `It helps to keep “${topic}” apart from the things that merely go with it.`
]

const closings: readonly [Sentence, ...ReadonlyArray<Sentence>] = [
  (topic) => `Say more about “${topic}”, and the answer can be more exact.`,
  (topic) => `That is the part of “${topic}” worth remembering.`,
  (topic) => `Anything beyond that about “${topic}” would be a guess.`
]

/** An infinite sequence of sentences about the topics. */
export function* endless(
  about: readonly [string, ...ReadonlyArray<string>],
  nextInt: IntGenerator
): Generator<string, never> {
  yield pick(nextInt, openings)(about[0])
  while (true) yield pick(nextInt, middles)(pick(nextInt, about))
}

/** A short answer. If there are sources, each sentence cites one. */
export const paragraph = (
  about: readonly [string, ...ReadonlyArray<string>],
  nextInt: IntGenerator,
  sources: number
): ReadonlyArray<string> => {
  const length = 2 + nextInt(4)
  const sentences = new Set<string>()
  for (const sentence of endless(about, nextInt)) {
    sentences.add(sentence)
    if (sentences.size >= length) break
  }
  sentences.add(pick(nextInt, closings)(pick(nextInt, about)))
  return [...sentences].map((sentence, index) => (sources === 0 ? sentence : `${sentence} [${(index % sources) + 1}]`))
}
