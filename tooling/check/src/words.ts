import { join, relative } from "node:path"
import ts from "typescript-6"
import { root } from "../../release/src/program.ts"
import { lines } from "./Check.ts"

/** What programs import. */
const entries = [
  "packages/node/src/index.ts",
  "packages/browser/src/index.ts",
  "packages/browser/src/signIn.ts",
  "packages/client/src/index.ts",
  ...["link", "log/index", "observe/index", "webhook/index"].map((name) => `packages/client/src/${name}.ts`)
].map((entry) => join(root, entry))

const optionsIn = /^(?:\w*Options|Pacing|Policy|ResumeToken)$/

/** Parts of what platforms have. */
const platform = new Set<string | undefined>(["AbortSignalLike", "AnyDispatcher"])

/** Each option of the client, and what is in it, has words, which an editor shows. */
export const words = async (): Promise<string> => {
  const tsconfig = ts.readConfigFile(join(root, "packages/browser/tsconfig.json"), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(tsconfig.config, ts.sys, join(root, "packages/browser"))
  const program = ts.createProgram(entries, { ...options, noEmit: true, composite: false, incremental: false })
  const checker = program.getTypeChecker()
  const problems = new Map<string, string>()
  const seen = new Set<ts.Type>()

  const visit = (type: ts.Type, path: string): void => {
    if (type.isUnion()) return type.types.forEach((one) => visit(one, path))
    if (seen.has(type) || type.getCallSignatures().length > 0 || platform.has(type.getSymbol()?.name)) return
    seen.add(type)
    for (const property of type.getProperties()) {
      const [declaration] = property.declarations ?? []
      const file = relative(root, declaration?.getSourceFile().fileName ?? "")
      if (declaration === undefined || !/^packages\/\w+\/src\//.test(file)) continue
      const place = `${path}.${property.name}`
      // What is written within a field is described by that field.
      const isWithin = ts.isTypeLiteralNode(declaration.parent) && path.includes(".")
      if (!isWithin && property.getDocumentationComment(checker).length === 0) {
        const { line } = declaration.getSourceFile().getLineAndCharacterOfPosition(declaration.getStart())
        problems.set(`${file}:${line + 1}`, `${place} has no words.`)
      }
      visit(checker.getTypeOfSymbol(property), place)
    }
  }
  for (const entry of entries) {
    for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)!)!)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      const isType = (symbol.flags & ts.SymbolFlags.Type) !== 0
      if (isType && optionsIn.test(exported.name)) visit(checker.getDeclaredTypeOfSymbol(symbol), exported.name)
    }
  }
  return lines([...problems].toSorted().map(([at, problem]) => `${at}: ${problem}`))
}
