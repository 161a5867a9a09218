/** Contains a dot segment, which could lead to another path of the upstream. */
export const hasDotSegment = (value: string): boolean => /(?:^|[/\\])\.\.?(?:[/\\]|$)/.test(value)
