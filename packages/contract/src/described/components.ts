/** For each node that can be reached, a number: nodes that reach each other have the same one (Kosaraju's algorithm). */
export const componentsOf = <N>(start: N, next: (node: N) => ReadonlyArray<N>): ReadonlyMap<N, number> => {
  const followers = new Map<N, ReadonlyArray<N>>()
  const before = new Map<N, Array<N>>()
  const done: Array<N> = []
  // No recursion: a chain of references may be longer than the stack. A node on the stack twice is left the second time.
  const left: Array<{ readonly node: N; readonly isLeft: boolean }> = [{ node: start, isLeft: false }]
  for (let step = left.pop(); step !== undefined; step = left.pop()) {
    const { isLeft, node } = step
    if (isLeft) done.push(node)
    if (followers.has(node)) continue
    const found = next(node)
    followers.set(node, found)
    left.push({ node, isLeft: true })
    for (const follower of found) {
      const known = before.get(follower)
      if (known === undefined) before.set(follower, [node])
      else known.push(node)
      if (!followers.has(follower)) left.push({ node: follower, isLeft: false })
    }
  }
  const components = new Map<N, number>()
  for (const root of done.toReversed()) {
    const members = components.has(root) ? [] : [root]
    const number = components.size
    for (let node = members.pop(); node !== undefined; node = members.pop()) {
      components.set(node, number)
      for (const other of before.get(node) ?? []) if (!components.has(other)) members.push(other)
    }
  }
  return components
}
