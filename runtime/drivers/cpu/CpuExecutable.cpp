//===- CpuExecutable.cpp - a kernel object, loaded ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/drivers/cpu/CpuExecutable.h"

#include "runtime/base/ElfFile.h"

#include <dlfcn.h>
#include <sys/mman.h>

namespace kiln::runtime {

/// The system's handle; in memory, the file lives as long. The loader knows an object by its path,
/// so that a descriptor number that is used again while the first object is loaded would give that
/// one.
struct CpuExecutable::Handle {
  FileDescriptor memory;
  void *library = nullptr;

  ~Handle() {
    if (library)
      ::dlclose(library);
  }
};

namespace {

Error badObject(const Image &image, std::string found, std::string expected = {}) {
  std::string place = "kernel object of '" + image.name + "'";
  if (!image.path.empty())
    place = "kernel object '" + image.path + "'";
  return makeError(ErrorKind::Invalid, std::move(place), std::move(found), std::move(expected));
}

Result<FileDescriptor> copyToMemoryFile(const Image &image) {
  FileDescriptor file(::memfd_create("kiln-kernel", MFD_CLOEXEC));
  if (!file.valid())
    return systemError("kernel object of '" + image.name + "'", "make a file in memory");
  if (Result<void> written = writeAll(file.get(), "kiln-kernel", image.bytes); !written)
    return written.takeError();
  return file;
}

} // namespace

Result<std::shared_ptr<Executable>> CpuExecutable::load(uint64_t device, const Image &image) {
  bool inMemory = image.path.empty();
  Result<FileDescriptor> file = inMemory ? copyToMemoryFile(image) : openForReading(image.path);
  if (!file)
    return file.takeError();
  // A path without a slash would be searched for among the system's libraries.
  std::string path = inMemory ? "/proc/self/fd/" + std::to_string(file->get())
                     : image.path.find('/') == std::string::npos ? "./" + image.path
                                                                 : image.path;
  if (Result<void> checked = checkSharedObject(file->get(), path); !checked)
    return checked.takeError();

  auto handle = std::make_unique<Handle>();
  handle->library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle->library) {
    const char *reason = ::dlerror();
    return badObject(image, std::string("cannot be loaded: ") + (reason ? reason : "no reason"));
  }
  if (inMemory)
    handle->memory = std::move(*file);

  auto entry = reinterpret_cast<KilnKernelFn>(::dlsym(handle->library, "kiln_kernel"));
  auto *info = static_cast<KilnKernelInfo *>(::dlsym(handle->library, "kiln_kernel_info"));
  if (!entry || !info)
    return badObject(image, "does not export 'kiln_kernel' and 'kiln_kernel_info'");
  if (info->abiVersion != KILN_KERNEL_ABI_VERSION)
    return badObject(image,
                     "has version " + std::to_string(info->abiVersion) + " of the kernel ABI",
                     "version " + std::to_string(KILN_KERNEL_ABI_VERSION));
  if (image.argCount && *image.argCount != info->argCount)
    return badObject(image, "takes " + std::to_string(info->argCount) + " arguments",
                     std::to_string(*image.argCount));
  if (info->scratchBytes > size_t(PTRDIFF_MAX))
    return badObject(image, "asks for " + std::to_string(info->scratchBytes) + " bytes of scratch");
  return std::shared_ptr<Executable>(
      new CpuExecutable(device, image, std::move(handle), entry, *info));
}

CpuExecutable::CpuExecutable(uint64_t device, const Image &image, std::unique_ptr<Handle> handle,
                             KilnKernelFn entry, const KilnKernelInfo &info)
    : Executable(device, image.name, info.argCount), handle(std::move(handle)), entry(entry),
      scratch(info.scratchBytes) {}

CpuExecutable::~CpuExecutable() = default;

} // namespace kiln::runtime
