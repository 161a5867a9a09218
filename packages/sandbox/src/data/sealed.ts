import * as Result from "effect/Result"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Schema from "effect/Schema"
import { check } from "../SeededRandom.ts"

/** Holds its own data, so that it survives a restart. The checksum detects wrong ones; it is no signature. */
export const sealed = <A>(kind: string, schema: Schema.Codec<A, unknown>) => {
  const json = Schema.fromJsonString(schema)
  const encode = Schema.encodeSync(json)
  const decode = Schema.decodeUnknownResult(json)
  const checked = (text: string) => `sandbox_${kind}_${text}.${check(`${kind} ${text}`)}`
  return {
    seal: (value: A): string => checked(Base64Url.encode(encode(value))),
    open: (text: string): A | undefined => {
      const [, inside = ""] = /^sandbox_[a-z]+_([\w-]{1,8192})\.[0-9a-f]{8}$/.exec(text) ?? []
      if (text !== checked(inside)) return undefined
      const value = Result.flatMap(Base64Url.decodeString(inside), decode)
      return Result.isSuccess(value) ? value.success : undefined
    }
  }
}
