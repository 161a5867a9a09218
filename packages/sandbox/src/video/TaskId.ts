import * as Result from "effect/Result"
import * as Base64Url from "effect/encoding/Base64Url"
import { hash } from "../text/hash.ts"
import { endings, type Plan } from "./parsePrompt.ts"

/** A task without its prompt. The id contains all of it, so that a task survives a restart. */
export interface Task extends Plan {
  /** In milliseconds. */
  readonly created: number
  /** Keeps ids unique that are made in the same millisecond. */
  readonly number: number
}

// Bytes: created 6, duration 4, ending 1, number 3, checksum 4.
const length = 18

const checksum = (bytes: Uint8Array): number => hash(`task ${bytes.subarray(0, length - 4).join()}`)

export const write = ({ created, duration, ending, number }: Task): string => {
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, Math.floor(created / 2 ** 32))
  view.setUint32(2, created % 2 ** 32)
  view.setUint32(6, duration)
  view.setUint32(10, number % 2 ** 24)
  view.setUint8(10, endings.indexOf(ending))
  view.setUint32(14, checksum(bytes))
  return Base64Url.encode(bytes)
}

/** `undefined` if the sandbox did not make this id. */
export const read = (id: string): Task | undefined => {
  // 18 bytes are exactly 24 characters in Base64, so that each task has one id.
  if (!/^[\w-]{24}$/.test(id)) return undefined
  const decoded = Base64Url.decode(id)
  if (Result.isFailure(decoded)) return undefined
  const bytes = Uint8Array.from(decoded.success)
  const view = new DataView(bytes.buffer)
  const ending = endings[view.getUint8(10)]
  if (ending === undefined || view.getUint32(14) !== checksum(bytes)) return undefined
  return {
    created: view.getUint16(0) * 2 ** 32 + view.getUint32(2),
    duration: view.getUint32(6),
    ending,
    number: view.getUint32(10) % 2 ** 24
  }
}
