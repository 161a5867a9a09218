import { statSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { userInfo } from "node:os"
import { join } from "node:path"

/**
 * Lets Node keep compiled code for the next start, in the home of whoever runs this, whatever `HOME` says. Node's own default is the
 * folder for temporary files, where another user could put code.
 */
export const keepCompiled = ({ homedir, uid } = userInfo()): void => {
  if (uid === -1 || statSync(homedir).uid === uid) enableCompileCache(join(homedir, ".cache/tollgate"))
}
