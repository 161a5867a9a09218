import type { PriceStore } from "@tollgate/gateway/operator"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import { replaceSection } from "../config/text/edit.ts"
import { cannotWrite, type ConfigFile, conflict, sectionsOf } from "./configFile.ts"

const fingerprintOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The section `prices` of the configuration file. */
export const priceStore = ({ change, path = "", read }: ConfigFile): PriceStore => ({
  read: Effect.map(read, ({ refusal, text }) => ({
    section: (text === undefined ? undefined : sectionsOf(text).prices) ?? {},
    fingerprint: text === undefined ? null : fingerprintOf(text),
    refusal
  })),
  replace: (section, fingerprint) =>
    change(
      (old) => Effect.succeed(fingerprintOf(old) === fingerprint),
      (old) => {
        const before = sectionsOf(old)
        const text = replaceSection(old, "prices", before.prices, section)
        return isDeepStrictEqual(sectionsOf(text), text === old ? before : { ...before, prices: section })
          ? Effect.succeed({ text, param: "prices" })
          : Effect.fail(conflict(cannotWrite(path, "the section cannot be put into its text; change it by hand")))
      }
    ).pipe(Effect.map(fingerprintOf))
})
