import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Starts slow files first, so that the workers end at the same time. The rest goes by vitest's own order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rank = ({ moduleId }: TestSpecification): number => (moduleId.endsWith(".slow.test.ts") ? 0 : 1)
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
