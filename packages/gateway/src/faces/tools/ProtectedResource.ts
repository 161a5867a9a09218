import * as Context from "effect/Context"

/** Where the metadata of the tool server as an OAuth resource are (RFC 9728). `undefined`: clients only have keys. */
export const ProtectedResource = Context.Reference<{ readonly metadataUrl: string } | undefined>(
  "@tollgate/gateway/faces/tools/ProtectedResource",
  { defaultValue: () => undefined }
)
