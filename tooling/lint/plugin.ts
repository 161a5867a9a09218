import { effectSubpath } from "./src/effectSubpath.ts"
import { noAmbient } from "./src/noAmbient.ts"
import { noDoubleCast } from "./src/noDoubleCast.ts"
import { ownPackage } from "./src/ownPackage.ts"

export default {
  meta: { name: "tollgate" },
  rules: {
    "effect-subpath": effectSubpath,
    "no-ambient": noAmbient,
    "no-double-cast": noDoubleCast,
    "own-package": ownPackage
  }
}
