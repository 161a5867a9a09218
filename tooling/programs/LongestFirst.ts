import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Slow files, and those that run a suite of `packages/testing/src` on a driver: they are small and take long. */
const long = /\.slow\.test\.ts$|\/packages\/testing\/test\/(?:hosts|limits|store)\//

/** Starts long files first, so that the workers end at the same time. The rest goes by vitest's own order: by size on a new checkout. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rank = ({ moduleId }: TestSpecification): number => (long.test(moduleId) ? 0 : 1)
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
