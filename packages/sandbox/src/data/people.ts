import type { SeededRandom } from "../SeededRandom.ts"

const first = [
  "Ada",
  "Bram",
  "Chidi",
  "Dalia",
  "Emre",
  "Freya",
  "Goran",
  "Hana",
  "Ines",
  "Jonas",
  "Kaia",
  "Luca"
] as const
const last = ["Abara", "Berg", "Costa", "Dimov", "Eriksen", "Fontaine", "Garcia", "Haddad", "Ito", "Kaya"] as const
const openings = [
  "I keep coming back to this",
  "Saved for later",
  "So calm",
  "What a view",
  "This made my day"
] as const
const middles = ["the light is perfect", "never seen it like that", "the second one is my favourite"] as const
const endings = [".", "!", " - thank you for sharing.", ", well done!", "... where was this taken?"] as const

export interface Person {
  readonly id: string
  readonly name: string
  readonly handle: string
  readonly picture: string
}

export const person = (random: SeededRandom): Person => {
  const given = random.pick(first)
  const family = random.pick(last)
  const id = random.digits(10)
  return {
    id,
    name: `${given} ${family}`,
    handle: `${given}_${family}${random.int(1, 99)}`.toLowerCase(),
    picture: `https://pictures.sandbox.invalid/${id}.jpg`
  }
}

export const sentence = (random: SeededRandom): string =>
  `${random.pick(openings)}, ${random.pick(middles)}${random.pick(endings)}`
