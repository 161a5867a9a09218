import { join } from "node:path"
import ts from "typescript-6"

/** What a program without Effect never passes and never gets. A type of Effect anywhere else is an error. */
const opaque = new Map([["Layer", "Reporting"]])

const reporting = `/** Made by a function of this package; it is passed on as it is. */
export declare interface Reporting {
  readonly "~Reporting": never
}
`

/** As `@types/node` does: a program's `lib` may not have it. */
const disposal = `declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol
  }
}
`

/** Types of ours that a program passes on as they are. */
const passedOn = new Set(["Line"])

/** Marks of a property that TypeScript does not export. */
const readonly = 1 << 3
const mapped = 1 << 18

class NamesEffect extends Error {}

const fileOf = (symbol: ts.Symbol | undefined): string => symbol?.declarations?.[0]?.getSourceFile().fileName ?? ""

const isEffects = (symbol: ts.Symbol | undefined): boolean => /\/node_modules\/effect\//.test(fileOf(symbol))

/** Of the language, or of the platform. */
const isGlobal = (symbol: ts.Symbol): boolean => /\/(?:typescript[^/]*\/lib\/lib\.|@types\/)/.test(fileOf(symbol))

const isName = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text)

/** One file that declares what a module exports, without a type of Effect: what needs one is left out. */
export const plainDeclarations = (entry: string, tsconfig: string, values: ReadonlySet<string>): string => {
  const { config } = ts.readConfigFile(tsconfig, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(tsconfig, ".."))
  const program = ts.createProgram([entry], { ...options, noEmit: true, composite: false, incremental: false })
  const checker = program.getTypeChecker()
  const names = new Map<ts.Symbol, string>()
  const taken = new Set<string>()
  /** What the exports need, in the order in which it is met. */
  const needed: Array<{ readonly symbol: ts.Symbol; readonly name: string; readonly text: string }> = []
  const path: Array<string> = []

  let isReported = false

  const within = <A>(place: string, make: () => A): A => {
    path.push(place)
    try {
      return make()
    } finally {
      path.pop()
    }
  }
  const refuse = (what: string): never => {
    throw new NamesEffect(`${path.join(".")}: ${what}`)
  }
  /** Undefined if it cannot be said without Effect. */
  const tried = <A>(make: () => A): A | undefined => {
    const before = needed.length
    try {
      return make()
    } catch (error) {
      if (!(error instanceof NamesEffect)) throw error
      for (const { name, symbol } of needed.splice(before)) {
        names.delete(symbol)
        taken.delete(name)
      }
      return undefined
    }
  }

  const docOf = (symbol: ts.Symbol, indent: string): string => {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(checker))
    const tags = symbol
      .getJsDocTags(checker)
      .map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`)
      .filter((tag) => !tag.includes("yield*"))
    const lines = [text, ...tags].join("\n").trim().split("\n")
    if (lines.length === 1) return lines[0] === "" ? "" : `${indent}/** ${lines[0]} */\n`
    return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`
  }

  const nameOf = (symbol: ts.Symbol): string => {
    const known = names.get(symbol)
    if (known !== undefined) return known
    let name = symbol.name
    for (let i = 2; taken.has(name); i++) name = `${symbol.name}${i}`
    taken.add(name)
    names.set(symbol, name)
    try {
      needed.push({ symbol, name, text: declare(symbol, name, "") })
      return name
    } catch (error) {
      names.delete(symbol)
      taken.delete(name)
      throw error
    }
  }

  const applied = (name: string, args: ReadonlyArray<ts.Type> | undefined, indent: string): string =>
    args === undefined || args.length === 0 ? name : `${name}<${args.map((arg) => print(arg, indent)).join(", ")}>`

  const parametersOf = (symbol: ts.Symbol): ReadonlyArray<ts.TypeParameter> =>
    (checker.getDeclaredTypeOfSymbol(symbol) as ts.InterfaceType).typeParameters ??
    (checker.getDeclaredTypeOfSymbol(symbol).aliasTypeArguments as ReadonlyArray<ts.TypeParameter> | undefined) ??
    []

  const generic = (parameters: ReadonlyArray<ts.TypeParameter>, indent: string): string => {
    if (parameters.length === 0) return ""
    const texts = parameters.map((parameter) => {
      const limit = parameter.getConstraint()
      const preset = parameter.getDefault()
      const bound = limit === undefined ? "" : ` extends ${print(limit, indent)}`
      return `${parameter.symbol.name}${bound}${preset === undefined ? "" : ` = ${print(preset, indent)}`}`
    })
    return `<${texts.join(", ")}>`
  }

  const parameterOf = (symbol: ts.Symbol, indent: string): string => {
    const declaration = symbol.valueDeclaration as ts.ParameterDeclaration | undefined
    const isRest = declaration?.dotDotDotToken !== undefined
    const isOptional =
      declaration !== undefined && ts.isParameter(declaration) && checker.isOptionalParameter(declaration)
    const name = isName(symbol.name) && !symbol.name.startsWith("__") ? symbol.name : "options"
    const mark = isRest || !isOptional ? "" : "?"
    const type = checker.getTypeOfSymbol(symbol)
    return `${isRest ? "..." : ""}${name}${mark}: ${within(name, () => (mark === "" ? print(type, indent) : present(type, indent, true)))}`
  }

  const signatureOf = (signature: ts.Signature, indent: string, arrow: string): string => {
    const parameters = signature.parameters.map((parameter) => parameterOf(parameter, indent))
    const result = within("()", () => print(signature.getReturnType(), indent))
    const guard = checker.getTypePredicateOfSignature(signature)
    const told = guard?.type === undefined ? result : `${guard.parameterName} is ${print(guard.type, indent)}`
    return `${generic(signature.typeParameters ?? [], indent)}(${parameters.join(", ")})${arrow}${told}`
  }

  /** The ways to call it that programs without Effect have. */
  const signaturesOf = (type: ts.Type, indent: string, arrow: string): ReadonlyArray<string> => {
    const all = type.getCallSignatures()
    if (all.length === 1) return [signatureOf(all[0]!, indent, arrow)]
    const plain = all.flatMap((signature) => tried(() => signatureOf(signature, indent, arrow)) ?? [])
    return all.length > 0 && plain.length === 0 ? refuse("no way to call it without Effect") : plain
  }

  /** The type of what is there, if it is: without the `undefined` that `?` adds, which is not the one that somebody wrote. */
  const present = (type: ts.Type, indent: string, isParameter: boolean): string => {
    const isMissing = (one: ts.Type) =>
      (one.flags & ts.TypeFlags.Undefined) !== 0 && (isParameter || one !== checker.getUndefinedType())
    return type.isUnion() && type.types.some(isMissing)
      ? unionOf(type, indent, (one) => !isMissing(one))
      : print(type, indent)
  }

  const propertyOf = (property: ts.Symbol, indent: string): string => {
    if (isEffects(property) && property.name !== "_tag") return ""
    const declaration = property.declarations?.[0]
    const type = checker.getTypeOfSymbol(property)
    const { checkFlags = 0 } =
      (property as ts.Symbol & { readonly links?: { readonly checkFlags?: number } }).links ?? {}
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0
    const key = property.name.startsWith("__@")
      ? symbolKey(property)
      : isName(property.name)
        ? property.name
        : JSON.stringify(property.name)
    if (key === undefined) return ""
    const isReadonly =
      (checkFlags & readonly) !== 0 ||
      (declaration !== undefined && (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Readonly) !== 0)
    const inner = `${indent}  `
    const text = within(property.name, () =>
      isOptional ? tried(() => present(type, inner, false)) : print(type, inner)
    )
    if (text === undefined) return ""
    // The functions of `quote` and `resume` are those that are described already.
    const isMapped = (checkFlags & mapped) !== 0 && type.getCallSignatures().length > 0
    return `${isMapped ? "" : docOf(property, inner)}${inner}${isReadonly ? "readonly " : ""}${key}${isOptional ? "?" : ""}: ${text}\n`
  }

  const symbolKey = (property: ts.Symbol): string | undefined => {
    const [, known] = /^__@(asyncIterator|asyncDispose|iterator|dispose|toStringTag)@/.exec(property.name) ?? []
    return known === undefined ? undefined : `[Symbol.${known}]`
  }

  const membersOf = (type: ts.Type, indent: string): string => {
    const indices = checker.getIndexInfosOfType(type).map(({ isReadonly, keyType, type }) => {
      return `${indent}  ${isReadonly ? "readonly " : ""}[key: ${print(keyType, indent)}]: ${print(type, `${indent}  `)}\n`
    })
    const calls = signaturesOf(type, `${indent}  `, ": ").map((text) => `${indent}  ${text}\n`)
    return [...calls, ...indices, ...type.getProperties().map((property) => propertyOf(property, indent))].join("")
  }

  const objectOf = (type: ts.Type, indent: string): string => {
    const made = type.getConstructSignatures()
    if (made.length > 0) return refuse("a constructor")
    const isFunction = type.getCallSignatures().length > 0 && type.getProperties().length === 0
    if (isFunction) {
      const signatures = signaturesOf(type, indent, " => ")
      if (signatures.length === 1) return signatures[0]!
    }
    const members = membersOf(type, indent)
    return members === "" ? "{}" : `{\n${members}${indent}}`
  }

  const unionOf = (type: ts.UnionType, indent: string, isIn = (_: ts.Type) => true): string => {
    const { origin } = type as ts.UnionType & { readonly origin?: ts.Type }
    const members = (origin?.isUnion() === true ? origin.types : type.types).filter(isIn)
    const texts = members.flatMap((member) => tried(() => grouped(member, indent)) ?? [])
    if (texts.length === 0) return refuse("only types of Effect")
    const distinct = [...new Set(texts)]
    return distinct.includes("true") && distinct.includes("false")
      ? ["boolean", ...distinct.filter((text) => text !== "true" && text !== "false")].join(" | ")
      : distinct.join(" | ")
  }

  const grouped = (type: ts.Type, indent: string): string => {
    const text = print(type, indent)
    return /^(?:<.*>)?\(/.test(text) && / => /.test(text) ? `(${text})` : text
  }

  const depths = new Map<ts.Type, number>()

  /** Types that have a name among the exports, by what they are. */
  const named = new Map<ts.Type, ts.Symbol>()

  const print = (type: ts.Type, indent: string): string => {
    const { aliasTypeArguments: args = [], flags } = type
    const aliasSymbol = named.get(type) ?? type.aliasSymbol
    if (flags & ts.TypeFlags.TypeParameter) return type.symbol.name
    if (aliasSymbol !== undefined && isEffects(aliasSymbol) && !type.isUnion())
      return refuse(`Effect's ${aliasSymbol.name}`)
    if (aliasSymbol !== undefined && !isEffects(aliasSymbol) && fileOf(aliasSymbol) !== "") {
      if (isGlobal(aliasSymbol)) {
        const isOpen = args.some(({ flags }) => (flags & (ts.TypeFlags.Instantiable | ts.TypeFlags.Intersection)) !== 0)
        if (isOpen || aliasSymbol.name === "Record") return applied(aliasSymbol.name, args, indent)
      } else if (args.length === 0 && aliasSymbol.declarations?.[0]?.parent.kind === ts.SyntaxKind.SourceFile) {
        if (aliasSymbol !== current) return nameOf(aliasSymbol)
      }
    }
    if (type.isUnion() && !(flags & ts.TypeFlags.Boolean) && !(flags & ts.TypeFlags.EnumLiteral))
      return unionOf(type, indent)
    if (type.isIntersection()) {
      if (type.types.every(({ flags, symbol }) => (flags & ts.TypeFlags.Object) !== 0 && symbol !== undefined))
        return objectOf(type, indent)
      return type.types.map((part) => grouped(part, indent)).join(" & ")
    }
    if (flags & ts.TypeFlags.IndexedAccess) {
      const { indexType, objectType } = type as ts.IndexedAccessType
      return `${grouped(objectType, indent)}[${print(indexType, indent)}]`
    }
    if (!(flags & ts.TypeFlags.Object)) {
      if (flags & (ts.TypeFlags.Conditional | ts.TypeFlags.Substitution))
        return refuse(`a type that depends on a parameter: ${checker.typeToString(type)}`)
      return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)
    }
    const { objectFlags, symbol } = type as ts.ObjectType
    if (checker.isTupleType(type)) {
      const { target } = type as ts.TupleTypeReference
      return `${target.readonly ? "readonly " : ""}[${checker
        .getTypeArguments(type as ts.TypeReference)
        .map((arg) => print(arg, indent))
        .join(", ")}]`
    }
    if (symbol !== undefined && isEffects(symbol) && symbol.name !== "__type" && symbol.name !== "__object") {
      const name = opaque.get(symbol.name)
      if (name === undefined) return refuse(`Effect's ${symbol.name}`)
      isReported = true
      return name
    }
    const isNamed = (objectFlags & (ts.ObjectFlags.ClassOrInterface | ts.ObjectFlags.Reference)) !== 0
    if (isNamed && symbol !== undefined && symbol.name !== "__class") {
      const args = objectFlags & ts.ObjectFlags.Reference ? checker.getTypeArguments(type as ts.TypeReference) : []
      const parameters = (type as ts.TypeReference).target?.typeParameters ?? []
      // Older compilers know fewer parameters of some global types; the others have defaults.
      let count = Math.min(args.length, parameters.length)
      while (count > 0 && args[count - 1] === parameters[count - 1]?.getDefault()) count--
      return applied(isGlobal(symbol) ? symbol.name : nameOf(symbol), args.slice(0, count), indent)
    }
    const depth = depths.get(type) ?? 0
    if (depth > 2) return refuse(`endless: ${checker.typeToString(type)}`)
    depths.set(type, depth + 1)
    try {
      return objectOf(type, indent)
    } finally {
      depths.set(type, depth)
    }
  }

  let current: ts.Symbol | undefined

  const aliasOf = (symbol: ts.Symbol, indent: string): string => {
    const outer = current
    current = symbol
    try {
      return print(checker.getDeclaredTypeOfSymbol(symbol), indent)
    } finally {
      current = outer
    }
  }

  const bodyOf = (symbol: ts.Symbol, name: string, indent: string): string => {
    if (symbol.flags & ts.SymbolFlags.Class) return classOf(symbol, name, indent)
    if (symbol.flags & ts.SymbolFlags.Interface) {
      if (passedOn.has(name)) return `interface ${name} {\n  readonly "~${name}": never\n}\n`
      const type = checker.getDeclaredTypeOfSymbol(symbol)
      return `interface ${name}${generic(parametersOf(symbol), indent)} {\n${membersOf(type, indent)}${indent}}\n`
    }
    if (symbol.flags & ts.SymbolFlags.TypeAlias) {
      return `type ${name}${generic(parametersOf(symbol), indent)} = ${aliasOf(symbol, indent)}\n`
    }
    if (symbol.flags & ts.SymbolFlags.ValueModule) {
      const inner = checker.getExportsOfModule(symbol).map((one) => declare(resolved(one), one.name, `${indent}  `))
      return `namespace ${name} {\n${inner.join("")}${indent}}\n`
    }
    const type = checker.getTypeOfSymbol(symbol)
    if (symbol.flags & ts.SymbolFlags.Function) {
      return signaturesOf(type, indent, ": ")
        .map((text) => `function ${name}${text}\n`)
        .join(`${indent}export declare `)
    }
    return `const ${name}: ${print(type, indent)}\n`
  }

  const classOf = (symbol: ts.Symbol, name: string, indent: string): string => {
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    const own = type
      .getProperties()
      .filter((property) => !isGlobal(property) && !["name", "stack"].includes(property.name))
    return `class ${name} extends Error {\n${indent}  private constructor()\n${own.map((property) => propertyOf(property, indent)).join("")}${indent}}\n`
  }

  const resolved = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

  const declare = (symbol: ts.Symbol, name: string, indent: string): string =>
    within(
      name,
      () => `${docOf(symbol, indent)}${indent}export ${indent === "" ? "declare " : ""}${bodyOf(symbol, name, indent)}`
    )

  const source = program.getSourceFile(entry)
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`No module: ${entry}`)
  // The others are exported as types, which a constant is not.
  const isDeclared = (one: ts.Symbol) => values.has(one.name) || (resolved(one).flags & ts.SymbolFlags.Type) !== 0
  const exported = checker.getExportsOfModule(module).filter(isDeclared)
  for (const one of exported) {
    taken.add(one.name)
    names.set(resolved(one), one.name)
    if (resolved(one).flags & ts.SymbolFlags.TypeAlias && parametersOf(resolved(one)).length === 0)
      named.set(checker.getDeclaredTypeOfSymbol(resolved(one)), resolved(one))
  }
  const texts: Array<string> = []
  const problems: Array<string> = []
  const attempt = (make: () => string) => {
    try {
      texts.push(make())
    } catch (error) {
      if (!(error instanceof NamesEffect)) throw error
      problems.push(error.message)
    }
  }
  for (const one of exported) attempt(() => declare(resolved(one), one.name, ""))
  texts.push(...needed.map(({ text }) => text))
  if (problems.length > 0) throw new Error(`These name types of Effect:\n${problems.join("\n")}`)
  const text = [...texts, ...(isReported ? [reporting] : [])].join("\n")
  return `${text}${text.includes("[Symbol.asyncDispose]") ? disposal : ""}export {}\n`
}
