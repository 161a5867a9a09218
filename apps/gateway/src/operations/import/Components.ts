/** The strongly connected components of a graph, found as they are asked for (Tarjan's algorithm, without recursion). */
export class Components<A> {
  readonly #next: (node: string) => Iterable<string>
  readonly #valueOf: (members: ReadonlyArray<string>, after: ReadonlyArray<A>) => A
  readonly #component = new Map<string, number>()
  readonly #values: Array<A> = []

  /** The value of a component is made from its members and from the values of those that it leads to. */
  constructor(
    next: (node: string) => Iterable<string>,
    valueOf: (members: ReadonlyArray<string>, after: ReadonlyArray<A>) => A
  ) {
    this.#next = next
    this.#valueOf = valueOf
  }

  /** Nodes of one component lead to each other. */
  of(node: string): number {
    if (!this.#component.has(node)) this.#explore(node)
    return this.#component.get(node) ?? -1
  }

  valueOf(node: string): A | undefined {
    return this.#values[this.of(node)]
  }

  #explore(root: string): void {
    const index = new Map<string, number>()
    const low = new Map<string, number>()
    const open: Array<string> = []
    const enter = (node: string) => {
      index.set(node, index.size)
      low.set(node, index.size - 1)
      open.push(node)
      return { node, rest: [...this.#next(node)] }
    }
    const lower = (node: string, to: number) => low.set(node, Math.min(low.get(node) ?? to, to))
    const path = [enter(root)]
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const other = at.rest.pop()
      if (other !== undefined) {
        if (this.#component.has(other)) continue
        const seen = index.get(other)
        if (seen === undefined) path.push(enter(other))
        else lower(at.node, seen)
        continue
      }
      path.pop()
      const around = path.at(-1)
      if (around !== undefined) lower(around.node, low.get(at.node) ?? 0)
      if (low.get(at.node) === index.get(at.node)) this.#close(open.splice(open.lastIndexOf(at.node)))
    }
  }

  #close(members: ReadonlyArray<string>): void {
    const own = this.#values.length
    for (const member of members) this.#component.set(member, own)
    const after = new Set(members.flatMap((member) => [...this.#next(member)].map((node) => this.of(node))))
    after.delete(own)
    this.#values.push(
      this.#valueOf(
        members,
        [...after].map((component) => this.#values[component] as A)
      )
    )
  }
}
