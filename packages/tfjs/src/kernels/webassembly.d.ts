// The part of the WebAssembly interface that the kernels use. TypeScript ships it only with the
// browser's library, whose other globals do not exist in Node.

declare namespace WebAssembly {
  interface MemoryDescriptor {
    initial: number;
    maximum?: number;
  }
  class Memory {
    constructor(descriptor: MemoryDescriptor);
    readonly buffer: ArrayBuffer;
    grow(delta: number): number;
  }
  interface ModuleExportDescriptor {
    name: string;
    kind: string;
  }
  interface ModuleImportDescriptor extends ModuleExportDescriptor {
    module: string;
  }
  class Module {
    constructor(bytes: Uint8Array);
    static exports(module: Module): ModuleExportDescriptor[];
    static imports(module: Module): ModuleImportDescriptor[];
  }
  class Instance {
    constructor(module: Module, imports?: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
}
