import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { check } from "../SeededRandom.ts"

// Two seconds of WebM (VP9, 160 by 90, no sound): a square moves in a circle.
const webm = `
GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYECGFOAZwEAAAAAAAT4EU2bdLpNu4tTq4QVSalmU6yBoU27i1OrhBZUrmtTrIHGTbuM
U6uEElTDZ1OsggETTbuMU6uEHFO7a1OsggTi7AEAAAAAAABZAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVSalmoCrXsYMPQkBNgIRMYXZmV0GETGF2ZkSJiECfQAAAAAAAFlSua8iu
AQAAAAAAAD/XgQFzxYgAAAAAAAAAAZyBACK1nIN1bmSIgQCGhVZfVlA5g4EBI+ODhAT3kNXgkLCBoLqBWpqBAlWwhFW5gQESVMNn1XNz0mPAi2PF
iAAAAAAAAAABZ8icRaOHRU5DT0RFUkSHj0xhdmMgbGlidnB4LXZwOWfIokWjiERVUkFUSU9ORIeUMDA6MDA6MDIuMDAwMDAwMDAwAAAfQ7Z1Q2/n
gQCjQJ+BAACAgkmDQgAJ8AWWGDgkHBkIAAAwcAAALMb//ygl3bT+5gTt//58Bw//6QQh/6aTBn27Y4sirkfP5LenNfxAD/wOYh0MykTBJmVgeDgq
BToIga3dNeKWxfUO/JFyKkT7x09X+eyhXr/9O1d2sdqdqrizcYg6Co0hvb3yeYYbFK8n6tdrZwAjjkpY3DVyANmfrWql/j3a4NG+TCZOHQCjmIEA
UwCGAECSHDBaAAADIAAAXFTp3SdqAKOZgQCnAIYAQJIcMFkAAAMgAABcVj4s7MDAAKOZgQD6AIYAQJIcGFoAAAMgAABdXCMHJek2YKOdgQFNAIYA
QJKcGFfAAANgAABculXLISjZVAVpqaijnYEBoQCGAECSHBhaAAADYAAAWEDVYulCYYFhR5mAo56BAfQAhgBAkhwoWQAAA2AAAFy6UpNtRSBwVJc6
gOCjooECRwCGAECSHBhaAAADYAAAejbBGScN20qa1BhOv4fVwACjpYECmwCGAECSnBhVYAADYAAAejq/Tzk5G0nFuVl4OYQA685CrACjn4EC7gCG
AECSDBBaAAADYAAAcM1yjPlmdRN9KeH/bgCjq4EDQQCGAMCSnCBVYAADYAAAekVAuvmbm8A5ElCVd1RMrqrH7ByyzzfapCCjmoEDlQCGAECSDBBa
AAADYAAALRKe6/Cu1rCAo56BA+gAhgBAkowgV8AAAyAAAHvfuAsTeYc71f+8OwCjmIEEOwCGAECSDBBaAAADIAAAYjExDX6fAKOXgQSPAIYAQJIM
EFkAAAMgAABgaOSPXICjmYEE4gCGAECSDBBaAAADIAAAYuaxj1f0eoCjnoEFNQCGAECSjBBVYAADYAAAcvjA/ozD7C3+MDCUlKOegQWJAIYAQJIM
IFoAAANgAAAs26wx1TGDKBtOu6iAo5yBBdwAhgBAkgwgWQAAA2AAAG0wM7esrjTnaRSgo5mBBi8AhgBAkgwgWgAAA2AAAFcphG4v8S0Ao6WBBoMA
hgDAkowgVWAAA2AAAFhBvbfqyMk552sD7O0uUJjyDn4Ao56BBtYAhgBAkgwYWgAAA2AAAFztoKFD9e595ckmrgCjnIEHKQCGAECSDBhZAAADYAAA
WEU8sXRAHwQ19gCjmYEHfQCGAECSDBhaAAADIAAAXJ5EydPQjwAcU7trkbuPs4EAt4r3gQHxggFt8IED
`

/** The sandbox's only video. */
export const clip = {
  bytes: Result.getOrThrow(Base64.decode(webm.replace(/\s/g, ""))),
  contentType: "video/webm",
  seconds: 2,
  height: 90
} as const

export const extension = ".webm"

const lifetime = 6 * 3_600_000

const signed = (id: string, expires: string) => check(`video ${id} ${expires}`)

/** `expires` is in seconds, and part of the signature. */
export const addressOf = (origin: string, id: string, ended: number): string => {
  const expires = String(Math.ceil((ended + lifetime) / 1_000))
  return `${origin}/videos/${id}${extension}?expires=${expires}&signature=${signed(id, expires)}`
}

export const isValid = (id: string, expires: string, signature: string, now: number): boolean =>
  signature === signed(id, expires) && now < Number(expires) * 1_000
