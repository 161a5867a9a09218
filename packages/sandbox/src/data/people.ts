import type { Draw } from "./Draw.ts"

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
const places = ["", "Lisbon", "Nairobi", "Osaka", "Bergen", "Toronto", "Montevideo"] as const
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
  readonly place: string
  readonly picture: string
}

export const person = (from: Draw): Person => {
  const given = from.pick(first)
  const family = from.pick(last)
  const id = from.digits(10)
  return {
    id,
    name: `${given} ${family}`,
    handle: `${given}_${family}${from.int(1, 99)}`.toLowerCase(),
    place: from.pick(places),
    picture: `https://pictures.sandbox.invalid/${id}.jpg`
  }
}

export const sentence = (from: Draw): string => `${from.pick(openings)}, ${from.pick(middles)}${from.pick(endings)}`
