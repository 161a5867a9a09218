import { check } from "../data/SeededRandom.ts"

export const extension = ".webm"

/** How long a video can be fetched after its task ends. */
const lifetime = 6 * 3_600_000

const signed = (id: string, expires: string) => check(`video ${id} ${expires}`)

/** `expires` is in seconds, and part of the signature. */
export const addressOf = (origin: string, id: string, ended: number): string => {
  const expires = String(Math.ceil((ended + lifetime) / 1_000))
  return `${origin}/videos/${id}${extension}?expires=${expires}&signature=${signed(id, expires)}`
}

export const isValid = (id: string, expires: string, signature: string, now: number): boolean =>
  signature === signed(id, expires) && now < Number(expires) * 1_000
