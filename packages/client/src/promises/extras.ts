import * as Console from "effect/Console"
import { type VerifyOptions, verifyWith } from "../contract/verifyContract.ts"
import { link } from "../link/link.ts"
import { withLink } from "../link/withLink.ts"
import { follow } from "../operations.ts"
import { linkOptions, type PlainLinkOptions, type PlainWithLinkOptions, withLinkOptions } from "./linking.ts"
import type { PromiseExtras } from "./PromiseExtras.ts"
import type { Promised } from "./Promises.ts"

/** What the whole client adds to its functions. */
export const extras = (promised: Promised): PromiseExtras =>
  ({
    link: promised((options: PlainLinkOptions) => link(linkOptions(options))),
    withLink: (options: PlainWithLinkOptions) => ({ follow: promised(withLink(withLinkOptions(options))(follow)) }),
    verifyContract: promised((options: VerifyOptions) => verifyWith(options, Console.warn))
  }) as PromiseExtras
