"""kiln.Tensor: memory of a device."""

import ml_dtypes
import numpy as np
import pytest

import kiln
import kiln.language as tl

from .kernels import copy


def test_contents():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = kiln.from_numpy(x)
    assert tensor.shape == (2, 3) and tensor.dtype == tl.float32 and tensor.device == "cpu"
    assert tensor.nbytes == 24 and tensor.numel() == 6 and tensor.stride() == (3, 1)
    assert (tensor.numpy() == x).all()
    assert (kiln.array([[1, 2]], dtype=tl.float16).numpy() == [[1, 2]]).all()
    assert not kiln.zeros((3, 2), np.int8).numpy().any()
    assert kiln.empty(()).shape == () and kiln.empty(0).numpy().size == 0
    assert kiln.array([1.5], tl.bfloat16).numpy().dtype == ml_dtypes.bfloat16


def test_copy_checks_the_shape():
    with pytest.raises(ValueError, match=r"found shape \(3,\), expected \(2,\)"):
        kiln.zeros(2).copy_([1, 2, 3])


def test_dlpack_is_a_view():
    tensor = kiln.zeros(4)
    view = np.from_dlpack(tensor)
    tensor.copy_([1, 2, 3, 4])
    assert view.tolist() == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="1 live view"):
        tensor.free()
    del view
    tensor.free()


def test_views_outlive_the_tensor():
    view = np.from_dlpack(kiln.array([1.0, 2.0]))
    assert view.tolist() == [1.0, 2.0]


def test_freed_tensors_are_refused():
    tensor = kiln.zeros(4)
    tensor.free()
    for use in (tensor.free, tensor.data_ptr, tensor.numpy, tensor.__dlpack__):
        with pytest.raises(ValueError, match="freed"):
            use()
    with pytest.raises(ValueError, match="'x_ptr'.*freed"):
        copy[1](np.zeros(4, np.float32), tensor, 4, BLOCK=4)


def test_tensors_of_another_device_are_refused():
    tensor = kiln.zeros(4, device="null")
    with pytest.raises(ValueError, match="'x_ptr'.*device 'null', but the launch is on 'cpu'"):
        copy[1](np.zeros(4, np.float32), tensor, 4, BLOCK=4)


def test_kernels_read_and_write_tensors():
    x, out = kiln.array([1.0, 2.0, 3.0], tl.float32), kiln.zeros(3)
    copy[1](out, x, 3, BLOCK=4)
    assert out.numpy().tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("shape", [-1, (2, -3), (2**40, 2**40)])
def test_wrong_shapes(shape):
    with pytest.raises(ValueError, match="shape"):
        kiln.empty(shape)


def test_wrong_arguments():
    with pytest.raises(TypeError):
        kiln.empty(2, np.complex64)
    with pytest.raises(ValueError, match="toaster"):
        kiln.empty(2, device="toaster")
    with pytest.raises(ValueError, match="no negative"):
        kiln.set_num_threads(-1)
